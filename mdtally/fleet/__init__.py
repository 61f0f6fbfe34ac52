"""Many people's logs at once: the lines of logs as rows of a table, and mdtally's functions on DuckDB and Spark.

``rows`` makes a table of logs (``mdtally log export``). ``duckdb.sql`` has its views and macros, ``engine`` reads logs
and tables with them for ``mdtally history --engine duckdb``, ``spark`` runs the statistics and the gate on a cluster.
None of the engines is imported before it is asked for.
"""
