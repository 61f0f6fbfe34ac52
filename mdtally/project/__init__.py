"""What a run may touch: the configuration, the disk, other programs."""
