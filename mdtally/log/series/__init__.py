"""Statistics over the calibration log: what many sessions say together.

A verdict on one session is weak evidence; the log is where the truth comes from. Each module states the
paper its method is from; docs/statistics.md explains them to who reads the output. All of it runs on the standard
library: numpy and scipy cost 0.2 to 1.5 seconds at import, more than a thousand sessions take to evaluate.
"""
