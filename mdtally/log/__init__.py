"""The calibration log: the rule, a line, and the statistics over sessions."""
