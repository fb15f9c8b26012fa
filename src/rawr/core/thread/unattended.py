"""What an agent is told from the first turn on where nobody watches (C7, C8): how to say that everything is finished.

It goes to Codex as an instruction of the thread, beside the user's words and not among them.
"""

from rawr.core.speech import Own, line, say

NOTHING_LEFT = "Nothing is left to do:"
"""How the agent is asked to say that it is finished; a line of its message must begin with it."""

FORM: Own = say(
    "This thread runs unattended: rawr sends you on, turn after turn, until the whole job is finished. Do not ask "
    "whether to go on. When everything that the user asked for is finished, and only then, write a line that begins "
    "with {nothing_left} and say how you know. That a part is done needs no such line.",
    nothing_left=line(NOTHING_LEFT),
)
