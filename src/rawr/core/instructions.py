"""What a run says to the agent after its first message: a fixed template, so that instructions do not drift (C8).

The goal and the standing directives are there verbatim, every time. What a check or a review found is data: it stands
in a block that it cannot get out of.
"""

from rawr.core.fence import fenced
from rawr.core.ledger import Ledger
from rawr.core.run import Run
from rawr.core.state import Plan
from rawr.core.text import head, tail

NOTHING_LEFT = "Nothing is left to do:"
"""How the agent is asked to say that it is finished; a line of its message must begin with it."""
MAX_GOAL = 20_000
MAX_OUTPUT = 6_000


def go_on(run: Run, ledger: Ledger, plan: Plan) -> str:
    """The next message of a run."""
    parts = [f"[rawr {run.id}] Go on with the job. Nobody is watching, so do not wait for an answer."]
    if run.note:
        parts.append(run.note)
    left = [step.step for step in plan.steps if step.status != "completed"]
    if left:
        parts.append("Steps of your plan that are open:\n\n" + "\n".join(f"- {' '.join(one.split())}" for one in left))
    parts.append(f"The goal, in the user's words:\n\n{fenced(head(run.order.goal, MAX_GOAL))}")
    rules = "\n".join(f"- {one.text}" for one in ledger.directives if one.standing)
    if rules:
        parts.append(f"Standing directives of the user, still in force:\n\n{fenced(rules)}")
    parts.append(
        "Do the next piece of work now and keep your plan up to date. Do not ask whether to go on. If you cannot go on "
        "without the user, say what you need. If everything is finished, write a line that begins with "
        f"“{NOTHING_LEFT}” and say how you know."
    )
    return "\n\n".join(parts)


def check_failed(command: str, exit_code: int | None, output: str, *, timed_out: bool) -> str:
    how = f"ended with exit code {exit_code}" if exit_code is not None else "could not be run"
    how = "did not end in time" if timed_out else how
    return (
        f"rawr ran the user's check of whether the job is done, and it {how}: the job is not done.\n\n"
        f"{fenced(f'$ {command}' + chr(10) + tail(output, MAX_OUTPUT))}"
    )


def next_step(text: str) -> str:
    """What a model proposes to do next. It is added to the goal and never takes its place (C8)."""
    if not text.strip():
        return ""
    step = fenced(head(text, MAX_OUTPUT))
    return f"A suggestion for the next step, from a model that looked at your last turn:\n\n{step}"


def review_found(review: str) -> str:
    return (
        "A review of what you changed said the following. Fix what it is right about; where it is wrong, leave things "
        f"as they are and say why.\n\n{fenced(tail(review, MAX_OUTPUT))}"
    )


def declined(what: str, reasons: tuple[str, ...]) -> str:
    """Why a request was turned down, for the agent to read."""
    why = "\n".join(f"- {' '.join(one.split())}" for one in reasons)
    refused = " ".join(what.split())
    return f"[rawr] Declined: {refused}\n\n{why}\n\nFind a way that does not need it, or say why it must be."


def says_finished(text: str) -> bool:
    """Whether the agent's message says so in the way that it was asked to."""
    return any(line.strip().lstrip("*_> ").startswith(NOTHING_LEFT) for line in text.splitlines())
