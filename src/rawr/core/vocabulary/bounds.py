"""How long the texts of a fact may be. They are cut where they come in, from the app-server or from a session file."""

MAX_MESSAGE = 200_000
MAX_COMMAND = 16_000
MAX_OUTPUT_TAIL = 4_000
MAX_ARGUMENTS = 16_000
MAX_NAME = 200
MAX_STEP = 1_000
MAX_STEPS = 200
MAX_EXPLANATION = 4_000
MAX_CHANGES = 256
"""Files in one change, or in one diff."""
