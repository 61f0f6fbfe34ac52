"""Shapes of labels that people write by hand: a file a shape, listed in `FORMS`."""
