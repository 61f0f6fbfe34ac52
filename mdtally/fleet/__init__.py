"""Many people's logs and large corpora: existing engines on the files as they are.

``duckdb.sql`` has views and macros over calibration logs, read where they lie; ``spark`` runs the reader, the gate and
the candidates over a frame of documents. Neither engine is imported before it is asked for.
"""
