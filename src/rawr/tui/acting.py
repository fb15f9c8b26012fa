"""What a person asks for, as facts: each is recorded, and what rawr made of it is said if it was not carried out."""

from collections.abc import Callable
from pathlib import Path

from rawr.core.kernel import Taken
from rawr.core.policy.full_auto import MILLION
from rawr.core.policy.policy import Policy
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.order import Budgets, Order
from rawr.core.vocabulary.requests import Answer
from rawr.errors import RawrError
from rawr.ports.surface import Rawr
from rawr.tui.widgets.composer import How
from rawr.views.codes import leaves_undone


class Acting:
    def __init__(self, rawr: Rawr, say: Callable[[str], None]) -> None:
        """``say``: how a person is told that something was not done."""
        self._rawr = rawr
        self._say = say
        self.problem = ""
        """Why no thread can be started."""

    async def record(self, thread: str, fact: facts.AnyFact) -> bool:
        """Return True if it was carried out, or is under way."""
        try:
            taken = await self._rawr.record(thread, fact)
        except RawrError as error:
            self._say(str(error))
            return False
        return self._told(taken)

    def _told(self, taken: Taken) -> bool:
        undone = [one.record.reason for one in taken.decisions if leaves_undone(one.record.reason)]
        for reason in undone:
            self._say(reason.meaning)
        return not undone

    async def submit(self, thread: str, text: str, how: How) -> bool:
        """Once it returns True, the message is in the journal and safe from a crash."""
        fact = facts.SteerSubmitted(text=text) if how == "steer" else facts.UserSubmitted(text=text)
        try:
            await self._rawr.record(thread, fact)
        except RawrError as error:
            self._say(str(error))
            return False
        return True

    async def withdraw(self, thread: str, message: int) -> bool:
        return await self.record(thread, facts.MessageWithdrawn(message=message))

    async def answer(self, thread: str, request: str, answer: Answer, *, words: str = "") -> None:
        if words:
            # Before the answer, so that the agent reads both together.
            await self.record(thread, facts.SteerSubmitted(text=words))
        self._rawr.answer(thread, request, answer)

    async def take_up(self, thread: str) -> bool:
        """Have rawr take a thread in hand that is only on record."""
        try:
            await self._rawr.take_up(thread)
        except RawrError as error:
            self._say(str(error))
            return False
        return True

    async def start_thread(self, folder: str) -> str:
        """Its id; empty if there is none."""
        if self.problem:
            self._say(self.problem)
            return ""
        place = _folder(folder)
        if place is None:
            self._say(missing(folder))
            return ""
        try:
            return await self._rawr.start_thread(place)
        except RawrError as error:
            self._say(str(error))
            return ""


def missing(folder: str) -> str:
    """What is wrong with a folder; empty: nothing."""
    return "" if _folder(folder) is not None else f"There is no folder {folder}."


def budget_problem(given: dict[str, str], *, over: Budgets) -> str:
    found = budgets_from(given, over=over)
    return found if isinstance(found, str) else ""


def _folder(name: str) -> Path | None:
    try:
        place = Path(name).expanduser().resolve()
        return place if place.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        return None


def order_of(policy: Policy, *, goal: str, done: str, budgets: Budgets) -> Order:
    """What was not asked for is as the settings have it."""
    settings = policy.full_auto
    return Order(
        goal=goal,
        done=done,
        check=settings.check,
        tree=True,
        budgets=budgets,
        approvals=settings.approvals,
        unsafe=settings.unsafe,
        review=settings.review,
    )


def budgets_from(given: dict[str, str], *, over: Budgets) -> Budgets | str:
    """The budgets that were typed in; or what is wrong with them. Empty means no limit, except for turns."""
    numbers: dict[str, int] = {}
    for name in Budgets.__struct_fields__:
        text = given.get(name, "").replace(" ", "").replace("_", "")
        if name not in given:
            numbers[name] = getattr(over, name)
            continue
        try:
            numbers[name] = round(float(text) * MILLION) if name == "cost" and text else int(text or 0)
        except (ValueError, OverflowError):
            return f"“{given[name]}” is not a number of {name}."
        if numbers[name] < 0 or (name == "turns" and not 1 <= numbers[name] <= 100_000):
            return f"“{given[name]}” is not a number of {name} that a run can have."
    return Budgets(**numbers)
