"""What a run finds in a file: rules, lint, fixes, the baseline, verdicts, and the reports of them."""
