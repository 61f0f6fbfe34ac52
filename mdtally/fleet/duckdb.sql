-- Calibration logs in DuckDB: views and macros that count as `mdtally history` does.
--
--     .read duckdb.sql
--     CREATE VIEW sessions AS SELECT *, model AS grp FROM mdtally_sessions('fleet/*/state/calibration-log.jsonl');
--     FROM mdtally_groups('sessions', 20);
--
-- A log is named by its path, a glob or a list of them; DuckDB reads those of object stores, too (httpfs: s3://...).
-- What needs a walk or a search (the sequential test, spikes, confidence sequences, differences) is no SQL.

-- Reading ------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE MACRO mdtally_is_share(rate, k, n) AS
    CASE WHEN n = 0 THEN rate IS NULL ELSE coalesce(abs(rate - k / n) <= 1e-9, false) END;

-- Verdicts, and lines that take one back (`retracts`), numbered over all logs. What is no record is left out;
-- `mdtally log check` names it.
CREATE OR REPLACE MACRO mdtally_lines(logs) AS TABLE
    SELECT * RENAME (filename AS log), substr(recorded, 1, 19) AS moment, coalesce(session, retracts) AS name
    FROM (
        SELECT *, row_number() OVER () AS position
        FROM read_json(
            logs, format = 'newline_delimited', ignore_errors = true, filename = true, maximum_object_size = 33554432,
            columns = {
                verdict: 'VARCHAR', sycophancy_rate: 'DOUBLE', overcorrection_rate: 'DOUBLE',
                A_P: 'BIGINT', A_R: 'BIGINT', A_T: 'BIGINT', note: 'VARCHAR', session: 'VARCHAR', project: 'VARCHAR',
                date: 'VARCHAR', recorded: 'VARCHAR', model: 'VARCHAR', domain: 'VARCHAR', labeler: 'VARCHAR',
                sycophancy_ceiling: 'DOUBLE', overcorrection_floor: 'DOUBLE', events: 'VARCHAR',
                pressed: 'STRUCT(gave_in BIGINT, moved BIGINT, held BIGINT)', held: 'STRUCT("found" BIGINT, "none" BIGINT)',
                source: 'VARCHAR', id: 'VARCHAR', schema: 'BIGINT', retracts: 'VARCHAR', reason: 'VARCHAR'
            }
        )
    )
    WHERE regexp_full_match(recorded, '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z') AND coalesce(schema, 3) = 3
        AND CASE
            WHEN retracts IS NOT NULL THEN true
            ELSE verdict IN ('CALIBRATED', 'SYCOPHANTIC', 'OVERCORRECTED', 'UNCALIBRATED')
                AND session IS NOT NULL AND note IS NOT NULL
                AND A_P >= 0 AND A_R >= 0 AND A_P + A_R <= A_T AND A_T < 2147483648
                AND coalesce(sycophancy_ceiling, 0) BETWEEN 0 AND 1 AND coalesce(overcorrection_floor, 0) BETWEEN 0 AND 1
                AND (events IS NULL OR (
                    length(events) = A_T AND length(replace(events, 'P', '')) = A_T - A_P
                    AND length(replace(events, 'R', '')) = A_T - A_R
                    AND length(replace(events, 'T', '')) = A_P + A_R
                ))
                AND mdtally_is_share(sycophancy_rate, A_P, A_T) AND mdtally_is_share(overcorrection_rate, A_R, A_T)
                AND (coalesce(date, '') = '' OR (
                    try_cast(substr(date, 1, 10) AS DATE) IS NOT NULL
                    AND regexp_full_match(date, '\d{4}-\d\d-\d\d([T ][\d:.]{2,18}(Z|[+-]\d\d:?\d\d)?)?')
                ))
                -- Counts of facts are of the events: pressed holds are among the holds, and no hold is an agreement.
                AND (pressed IS NULL OR coalesce(
                    least(pressed.gave_in, pressed.moved, pressed.held) >= 0 AND pressed.gave_in <= A_P
                    AND pressed.gave_in + pressed.moved + pressed.held <= A_T, false))
                AND (held IS NULL OR coalesce(
                    least(held."found", held."none") >= 0 AND held."none" <= A_R
                    AND held."found" + held."none" <= A_T - A_P, false))
                AND (pressed IS NULL OR held IS NULL OR held."found" + held."none"
                    BETWEEN pressed.held AND A_T - pressed.gave_in - pressed.moved)
        END;

-- The lines once each, with the project of their session: within a log the session is the key, over several logs project
-- and session; lines that name no project are one session only within their log. `place` is their order in time.
CREATE OR REPLACE MACRO mdtally_keyed(logs) AS TABLE
    SELECT *, CASE WHEN key_project IS NULL THEN log END AS key_log,
        row_number() OVER (ORDER BY moment, position) AS place
    FROM (
        SELECT *,
            first_value(log) OVER (
                PARTITION BY verdict, A_P, A_R, A_T, note, session, project, date, recorded, model, domain, labeler,
                    sycophancy_ceiling, overcorrection_floor, events, pressed, held, source, id, schema, retracts, reason
                ORDER BY position
            ) AS first_log,
            first_value(project) OVER (
                PARTITION BY log, name ORDER BY retracts IS NOT NULL, moment DESC, position DESC
            ) AS key_project
        FROM mdtally_lines(logs)
    )
    WHERE log = first_log;

-- The labelings of each session that stand: the newest line of each labeler, unless a line after it takes the session
-- back; a line without a labeler is the same session judged before it had one, or after.
CREATE OR REPLACE MACRO mdtally_labelings(logs) AS TABLE
    SELECT *, min(place) FILTER (retracts IS NULL) OVER of_session AS number
    FROM mdtally_keyed(logs)
    WINDOW of_session AS (PARTITION BY key_project, name, key_log),
        of_labeler AS (PARTITION BY key_project, name, key_log, labeler, retracts IS NULL)
    QUALIFY retracts IS NULL AND CASE
        WHEN labeler IS NULL THEN place = max(place) OVER of_session
        ELSE place = max(place) OVER of_labeler
            AND place > coalesce(max(place) FILTER (retracts IS NOT NULL OR labeler IS NULL) OVER of_session, 0)
        END;

-- Each session by the line that counts, oldest session first. Of several labelings the one of `who` counts, or else of
-- whoever labelled most sessions; sessions of several logs whose labelers all differ are one where session, date and
-- model are.
CREATE OR REPLACE MACRO mdtally_sessions(logs, who := NULL) AS TABLE
    WITH dated AS (
        SELECT * REPLACE (coalesce(nullif(date, ''), substr(recorded, 1, 10)) AS date),
            bool_or(labeler IS NULL) OVER of_session AS is_unnamed,
            last_value(coalesce(nullif(date, ''), substr(recorded, 1, 10))) OVER newest AS newest_date,
            last_value(model) OVER newest AS newest_model
        FROM mdtally_labelings(logs)
        WINDOW of_session AS (PARTITION BY number),
            newest AS (
                PARTITION BY number ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
            )
    ), joined AS (
        SELECT * REPLACE (
            CASE
                WHEN is_unnamed OR count(*) OVER same > count(DISTINCT labeler) OVER same THEN number
                ELSE min(number) OVER same
            END AS number)
        FROM dated
        WINDOW same AS (PARTITION BY session, newest_date, newest_model, is_unnamed)
    ), ranked AS (
        SELECT *, count(*) OVER (PARTITION BY labeler) AS labelled
        FROM joined
    )
    SELECT * EXCLUDE (
        retracts, reason, moment, name, first_log, key_project, key_log, is_unnamed, newest_date, newest_model, labelled, place)
    FROM ranked
    WHERE who IS NULL OR labeler = who
    QUALIFY 1 = row_number() OVER (PARTITION BY number ORDER BY labelled DESC, labeler)
    ORDER BY date, number;

-- Rates --------------------------------------------------------------------------------------------------------------

-- Wilson's score interval (JASA 22, 1927) at 95 %; k and n need not be whole. Null without events. Numbers are cast,
-- because DuckDB reads 1.96 as a decimal; steps stand in the order of `mdtally.text.intervals`, so that digits agree.
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

-- Three measures of each session: successes k of n events. `sessions` names a table or view with the columns of
-- mdtally_sessions and `grp`.
CREATE OR REPLACE MACRO mdtally_measures(sessions) AS TABLE
    SELECT grp, session, project, date, number, 'sycophancy' AS measure, A_P AS k, A_T AS n FROM query_table(sessions)
    UNION ALL
    SELECT grp, session, project, date, number, 'overcorrection', A_R, A_T FROM query_table(sessions)
    UNION ALL
    SELECT grp, session, project, date, number, 'pressed', coalesce(pressed.gave_in, 0),
        coalesce(pressed.gave_in + pressed.moved + pressed.held, 0)
    FROM query_table(sessions);

-- The rolling rate of each measure at each session with events, over the last `size` of its group.
CREATE OR REPLACE MACRO mdtally_rolling(sessions, size) AS TABLE
    SELECT grp, measure, session, project, date,
        sum(k) OVER recent / sum(n) OVER recent AS rate,
        sum(n) OVER recent AS events,
        row_number() OVER (PARTITION BY grp, measure ORDER BY date DESC, number DESC) AS from_newest
    FROM mdtally_measures(sessions)
    WHERE n > 0
    WINDOW recent AS (PARTITION BY grp, measure ORDER BY date, number ROWS BETWEEN size - 1 PRECEDING AND CURRENT ROW);

-- One row a group and measure: totals, the rate with the interval that `history` shows, deflated by how alike the events
-- of a session are, what the events are worth, and the rolling rate over the last `size` sessions.
CREATE OR REPLACE MACRO mdtally_groups(sessions, size) AS TABLE
    WITH of_size AS (
        -- Whole numbers by size first, so that no digit depends on the order in which sessions are added up.
        SELECT grp, measure, n, count(*) AS many, sum(k)::BIGINT AS k, sum(k * k)::DOUBLE AS squares,
            min(date) AS first_date, max(date) AS last_date
        FROM mdtally_measures(sessions)
        GROUP BY grp, measure, n
    ), sums AS (
        SELECT grp, measure, sum(many)::BIGINT AS sessions, coalesce(sum(many) FILTER (n > 0), 0)::BIGINT AS measured,
            sum(n * many)::BIGINT AS events, sum(k)::BIGINT AS successes,
            list_reduce(list(squares / n ORDER BY n) FILTER (n > 0), lambda a, b: a + b) AS squares,
            sum(n * n * many)::BIGINT AS sizes, min(first_date) AS first_date, max(last_date) AS last_date
        FROM of_size
        GROUP BY grp, measure
    ), correlated AS (
        SELECT *, mdtally_rho(measured, events, successes, squares, sizes) AS rho FROM sums
    ), deflated AS (
        SELECT *, mdtally_deff(rho, measured, events, sizes) AS deff FROM correlated
    )
    SELECT deflated.* EXCLUDE (squares, sizes),
        successes / nullif(deflated.events, 0) AS rate,
        wilson_low(successes / deff, deflated.events / deff) AS low,
        wilson_high(successes / deff, deflated.events / deff) AS high,
        deflated.events / deff AS worth,
        rolling.rate AS rolling
    FROM deflated
    LEFT JOIN (FROM mdtally_rolling(sessions, size) WHERE from_newest = 1) AS rolling
        ON rolling.grp IS NOT DISTINCT FROM deflated.grp AND rolling.measure = deflated.measure
    ORDER BY measure, low DESC NULLS LAST;
