"""The configuration: texts as they were found, to one frozen object that says where each value comes from.

Pure: the disk is ``files``' own, which finds the nearest configuration of a file. The settings are in ``schema``, what
their values may be in ``values``; ``write`` is imported by the commands that change a configuration.
"""

from mdtally.project.settings.effective import effective_values, thresholds
from mdtally.project.settings.load import load
from mdtally.project.settings.schema import Settings
from mdtally.project.settings.texts import ConfigProblem, ConfigText
