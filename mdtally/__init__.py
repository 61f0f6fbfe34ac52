"""mdtally: did the agent give in to me, did the agents reason, or did they flatter each other?"""

__version__ = "0.1.0"
