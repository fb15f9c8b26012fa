"""What a run tells the agent after its first message: a fixed template, so that instructions do not drift (C8).

The goal and the standing directives are in it verbatim, every time. The findings of a check or a review are data, in a
block that they cannot close.
"""

from rawr.core.speech import NOTHING, Own, block, joined, line, listed, say, word
from rawr.core.state.ledger import Ledger
from rawr.core.state.run import Run
from rawr.core.state.thread import Plan
from rawr.core.thread.unattended import NOTHING_LEFT

MAX_GOAL = 20_000
MAX_OUTPUT = 6_000


def go_on(run: Run, ledger: Ledger, plan: Plan) -> Own:
    """The next message of a run."""
    left = listed(line(step.step) for step in plan.steps if step.status != "completed")
    rules = "\n".join(f"- {one.text}" for one in ledger.directives if one.standing)
    return joined(
        (
            say("[rawr {run}] Go on with the job. Nobody is watching, so do not wait for an answer.", run=word(run.id)),
            run.note,
            say("Steps of your plan that are open:\n\n{left}", left=left) if left else NOTHING,
            say("The goal, in the user's words:\n\n{goal}", goal=block(run.order.goal, limit=MAX_GOAL)),
            say("Standing directives of the user, still in force:\n\n{rules}", rules=block(rules))
            if rules
            else NOTHING,
            say(
                "Do the next piece of work now and keep your plan up to date. Do not ask whether to go on. If you "
                "cannot go on without the user, say what you need. If everything is finished, write a line that begins "
                "with {nothing_left} and say how you know.",
                nothing_left=line(NOTHING_LEFT),
            ),
        )
    )


def is_that_all() -> Own:
    """For an agent whose words may mean the whole job or a part of it."""
    return say(
        "Your last message may mean that the job is finished, or that a part of it is. If everything in the goal is "
        "done, write a line that begins with {nothing_left} and say how you know. Otherwise go on with what is left.",
        nothing_left=line(NOTHING_LEFT),
    )


def check_failed(command: str, exit_code: int | None, output: str, *, timed_out: bool) -> Own:
    how = say("ended with exit code {code}", code=exit_code) if exit_code is not None else say("could not be run")
    return say(
        "rawr ran the user's check of whether the job is done, and it {how}: the job is not done.\n\n{command}\n\n"
        "What it printed:\n\n{output}",
        how=say("did not end in time") if timed_out else how,
        command=block(f"$ {command}"),
        output=block(output, limit=MAX_OUTPUT, end=True),
    )


def next_step(text: str) -> Own:
    """A model's proposal for the next step. It is added to the goal and never replaces it (C8)."""
    if not text.strip():
        return NOTHING
    return say(
        "A suggestion for the next step, from a model that looked at your last turn:\n\n{step}",
        step=block(text, limit=MAX_OUTPUT),
    )


def review_found(review: str) -> Own:
    return say(
        "A review of what you changed said the following. Fix what it is right about; where it is wrong, leave things "
        "as they are and say why.\n\n{review}",
        review=block(review, limit=MAX_OUTPUT, end=True),
    )


def says_finished(text: str) -> bool:
    """Return True if the agent says that it is finished, in the requested way: in the first or the last line, in its
    own words. In a quotation, in code, or among other lines it may be about something else."""
    said = [line.lstrip("*_ ") for line in _own_lines(text)]
    opens = said[:1] if said and said[0].removeprefix(NOTHING_LEFT).strip("*_ ") else []
    return any(line.startswith(NOTHING_LEFT) for line in (*opens, *said[-1:]))


def _own_lines(text: str) -> list[str]:
    """The lines that are not blank, without what is quoted, fenced or indented as code."""
    found: list[str] = []
    fence = ""
    for raw in text.split("\n"):
        line = raw.strip()
        if fence:
            fence = "" if line.startswith(fence) else fence
        elif line.startswith(("```", "~~~")):
            fence = line[:3]
        elif line and not line.startswith(">") and not raw.startswith(("    ", "\t")):
            found.append(line)
    return found
