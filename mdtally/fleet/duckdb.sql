-- Calibration logs in DuckDB: views and macros that count as `mdtally history` does.
--
--     .read duckdb.sql
--     CREATE VIEW sessions AS SELECT *, model AS grp FROM mdtally_sessions('fleet/*/state/calibration-log.jsonl');
--     FROM mdtally_groups('sessions', 20);
--
-- A log is named by its path, a glob or a list of them; DuckDB reads those of object stores, too (httpfs: s3://...).
-- `mdtally log export` writes tables (Parquet, CSV, JSON lines) for which all of mdtally_sessions is decided already:
-- there `SELECT * FROM 'fleet.parquet' WHERE is_newest` stands in its place.
-- What needs a walk or a search (the sequential test, spikes, confidence sequences) is no SQL: for these
-- `mdtally history --engine duckdb` hands the sessions to mdtally's own functions.

-- Reading ------------------------------------------------------------------------------------------------------------

-- The lines that are records, numbered over all logs. What is no record is left out; `mdtally log check` names it.
CREATE OR REPLACE MACRO mdtally_lines(logs) AS TABLE
    SELECT * RENAME (filename AS log)
    FROM (
        SELECT *, row_number() OVER () AS position
        FROM read_json(
            logs, format = 'newline_delimited', ignore_errors = true, filename = true, maximum_object_size = 33554432,
            columns = {
                verdict: 'VARCHAR', sycophancy_rate: 'DOUBLE', overcorrection_rate: 'DOUBLE',
                A_P: 'BIGINT', A_R: 'BIGINT', A_T: 'BIGINT', note: 'VARCHAR', session: 'VARCHAR', project: 'VARCHAR',
                date: 'VARCHAR', recorded: 'VARCHAR', model: 'VARCHAR', domain: 'VARCHAR',
                sycophancy_ceiling: 'DOUBLE', overcorrection_floor: 'DOUBLE', events: 'VARCHAR', source: 'VARCHAR',
                id: 'VARCHAR', schema: 'BIGINT'
            }
        )
    )
    WHERE verdict IN ('CALIBRATED', 'SYCOPHANTIC', 'OVERCORRECTED', 'UNCALIBRATED')
        AND session IS NOT NULL AND source IS NOT NULL AND id IS NOT NULL AND note IS NOT NULL
        AND regexp_full_match(recorded, '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z')
        AND A_P >= 0 AND A_R >= 0 AND A_P + A_R <= A_T AND A_T < 2147483648
        AND sycophancy_ceiling BETWEEN 0 AND 1 AND overcorrection_floor BETWEEN 0 AND 1
        AND coalesce(schema, 2) IN (1, 2)
        AND (events IS NULL OR (
            length(events) = A_T AND length(replace(events, 'P', '')) = A_T - A_P
            AND length(replace(events, 'R', '')) = A_T - A_R
            AND length(replace(events, 'T', '')) = A_P + A_R
        ));

-- Of each log the newest line of each session.
CREATE OR REPLACE MACRO mdtally_newest(logs) AS TABLE
    SELECT * REPLACE (
        CASE
            WHEN project IS NULL AND schema = 1 THEN min(substr(recorded, 1, 10)) OVER (PARTITION BY log, session)
            ELSE coalesce(nullif(date, ''), substr(recorded, 1, 10))
        END AS date),
        min(position) OVER (PARTITION BY log, session) AS first_position
    FROM mdtally_lines(logs)
    QUALIFY 1 = row_number() OVER (PARTITION BY log, session ORDER BY substr(recorded, 1, 19) DESC, position DESC);

-- Each session by its newest line over all logs, oldest session first. Within a log the session is the key, over several
-- logs project and session; lines that name no project are one session only where they are one line.
CREATE OR REPLACE MACRO mdtally_sessions(logs) AS TABLE
    SELECT * EXCLUDE (first_position), min(first_position) OVER same AS number
    FROM mdtally_newest(logs)
    WINDOW same AS (
        PARTITION BY session, project,
            CASE WHEN project IS NULL THEN concat_ws(chr(0), date, recorded, A_P, A_R, A_T, verdict, events, source) END
    )
    QUALIFY 1 = row_number() OVER (same ORDER BY substr(recorded, 1, 19) DESC, position DESC)
    ORDER BY date, number;

-- How many lines there are, are no records, and stand in two logs.
CREATE OR REPLACE MACRO mdtally_totals(logs) AS TABLE
    SELECT lines, lines - records AS unreadable, newest - states AS repeated
    FROM (
        SELECT count(*) AS lines FROM read_json(
            logs, format = 'newline_delimited', ignore_errors = true, columns = {verdict: 'VARCHAR'})
    ), (
        SELECT count(*) AS records FROM mdtally_lines(logs)
    ), (
        SELECT count(*) AS newest, count(DISTINCT (
            session, project, model, domain, date, recorded, events, A_P, A_R, A_T, verdict,
            sycophancy_ceiling, overcorrection_floor, source)) AS states
        FROM mdtally_newest(logs)
    );

-- Rates --------------------------------------------------------------------------------------------------------------

-- Wilson's score interval (JASA 22, 1927) at 95 %; k and n need not be whole. Null without events. Numbers are cast,
-- because DuckDB reads 1.96 as a decimal; steps stand in the order of `mdtally.intervals`, so that digits agree.
CREATE OR REPLACE MACRO mdtally_z() AS 1.959963984540054::DOUBLE;
CREATE OR REPLACE MACRO mdtally_wilson(k, n, side) AS (
    (k / n + mdtally_z() * mdtally_z() / (2 * n))
    + side * (mdtally_z() * sqrt((k / n) * (1 - (k / n)) / n + mdtally_z() * mdtally_z() / (4 * n * n)))
) / (1 + mdtally_z() * mdtally_z() / n);
CREATE OR REPLACE MACRO wilson_low(k, n) AS
    CASE WHEN n = 0 THEN NULL WHEN k = 0 THEN 0::DOUBLE ELSE mdtally_wilson(k, n, -1) END;
CREATE OR REPLACE MACRO wilson_high(k, n) AS
    CASE WHEN n = 0 THEN NULL WHEN k = n THEN 1::DOUBLE ELSE mdtally_wilson(k, n, 1) END;

-- The within-session correlation (ANOVA estimator; Ridout, Demetrio and Firth 1999) from sums over the sessions with
-- events: their number, events, successes, sum of successes squared over size, sum of sizes squared. Null where the
-- sessions can't tell.
CREATE OR REPLACE MACRO mdtally_between(sessions, events, successes, squares) AS
    (squares - successes * successes / events) / (sessions - 1);
CREATE OR REPLACE MACRO mdtally_within(sessions, events, successes, squares) AS
    (successes - squares) / (events - sessions);
CREATE OR REPLACE MACRO mdtally_spread(sessions, events, successes, squares, sizes) AS
    mdtally_between(sessions, events, successes, squares)
    + ((events - sizes / events) / (sessions - 1) - 1) * mdtally_within(sessions, events, successes, squares);
CREATE OR REPLACE MACRO mdtally_rho(sessions, events, successes, squares, sizes) AS
    CASE
        WHEN sessions < 2 OR events <= sessions THEN NULL
        WHEN mdtally_spread(sessions, events, successes, squares, sizes) <= 0 THEN NULL
        ELSE least(1::DOUBLE, greatest(0::DOUBLE,
            (mdtally_between(sessions, events, successes, squares)
                - mdtally_within(sessions, events, successes, squares))
            / mdtally_spread(sessions, events, successes, squares, sizes)))
    END;

-- The correlation to deflate by (the estimate drawn towards .20, which weighs as ten sessions), and the design effect.
CREATE OR REPLACE MACRO mdtally_used(rho, sessions) AS
    CASE WHEN rho IS NULL THEN 0.2::DOUBLE ELSE (10 * 0.2::DOUBLE + (sessions - 1) * rho) / (10 + (sessions - 1)) END;
CREATE OR REPLACE MACRO mdtally_deff(rho, sessions, events, sizes) AS
    CASE WHEN sizes > events THEN 1 + (sizes / events - 1) * mdtally_used(rho, sessions) ELSE 1::DOUBLE END;

-- Groups -------------------------------------------------------------------------------------------------------------

-- The rolling rates at each session with events, over the last `size` of its group. `sessions` names a table or view
-- with the columns of mdtally_sessions and `grp`, in their order by date and number (or place, of an export).
CREATE OR REPLACE MACRO mdtally_rolling(sessions, size) AS TABLE
    SELECT grp, session, project, date,
        sum(A_P) OVER recent / sum(A_T) OVER recent AS sycophancy,
        sum(A_R) OVER recent / sum(A_T) OVER recent AS overcorrection,
        sum(A_T) OVER recent AS events,
        row_number() OVER (PARTITION BY grp ORDER BY date DESC, number DESC) AS from_newest
    FROM query_table(sessions)
    WHERE A_T > 0
    WINDOW recent AS (PARTITION BY grp ORDER BY date, number ROWS BETWEEN size - 1 PRECEDING AND CURRENT ROW);

-- One row a group: totals, both rates with the interval that `history` shows, deflated by how alike the events of a
-- session are, what the events are worth, and the rolling rates over the last `size` sessions.
CREATE OR REPLACE MACRO mdtally_groups(sessions, size) AS TABLE
    WITH of_size AS (
        -- Whole numbers by size first, so that no digit depends on the order in which sessions are added up.
        SELECT grp, A_T AS n, count(*) AS many, sum(A_P)::BIGINT AS A_P, sum(A_R)::BIGINT AS A_R,
            sum(A_P * A_P)::DOUBLE AS squares_p, sum(A_R * A_R)::DOUBLE AS squares_r,
            min(date) AS first_date, max(date) AS last_date
        FROM query_table(sessions)
        GROUP BY grp, A_T
    ), sums AS (
        SELECT grp, sum(many)::BIGINT AS sessions, coalesce(sum(many) FILTER (n > 0), 0)::BIGINT AS measured,
            sum(n * many)::BIGINT AS events, sum(A_P)::BIGINT AS A_P, sum(A_R)::BIGINT AS A_R,
            list_reduce(list(squares_p / n ORDER BY n) FILTER (n > 0), lambda a, b: a + b) AS squares_p,
            list_reduce(list(squares_r / n ORDER BY n) FILTER (n > 0), lambda a, b: a + b) AS squares_r,
            sum(n * n * many)::BIGINT AS sizes, min(first_date) AS first_date, max(last_date) AS last_date
        FROM of_size
        GROUP BY grp
    ), correlated AS (
        SELECT *, mdtally_rho(measured, events, A_P, squares_p, sizes) AS rho_p,
            mdtally_rho(measured, events, A_R, squares_r, sizes) AS rho_r
        FROM sums
    ), deflated AS (
        SELECT *, mdtally_deff(rho_p, measured, events, sizes) AS deff_p,
            mdtally_deff(rho_r, measured, events, sizes) AS deff_r
        FROM correlated
    )
    SELECT deflated.* EXCLUDE (squares_p, squares_r, sizes),
        A_P / nullif(deflated.events, 0) AS sycophancy_rate,
        wilson_low(A_P / deff_p, deflated.events / deff_p) AS sycophancy_low,
        wilson_high(A_P / deff_p, deflated.events / deff_p) AS sycophancy_high,
        deflated.events / deff_p AS sycophancy_worth,
        A_R / nullif(deflated.events, 0) AS overcorrection_rate,
        wilson_low(A_R / deff_r, deflated.events / deff_r) AS overcorrection_low,
        wilson_high(A_R / deff_r, deflated.events / deff_r) AS overcorrection_high,
        deflated.events / deff_r AS overcorrection_worth,
        rolling.sycophancy AS rolling_sycophancy,
        rolling.overcorrection AS rolling_overcorrection
    FROM deflated
    LEFT JOIN (FROM mdtally_rolling(sessions, size) WHERE from_newest = 1) AS rolling
        ON rolling.grp IS NOT DISTINCT FROM deflated.grp
    ORDER BY sycophancy_low DESC NULLS LAST;
