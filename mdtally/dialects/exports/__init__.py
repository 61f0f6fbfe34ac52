"""Forms of transcripts that a program writes, each known by its signature: a file a form, listed in `EXPORTERS`."""
