"""The fields of a form, and those of a run's budgets."""

from msgspec import Struct

from rawr.core.policy.full_auto import MILLION
from rawr.core.vocabulary.order import Budgets


class Field(Struct, frozen=True):
    name: str
    label: str
    value: str = ""
    hint: str = ""
    several_lines: bool = False


def budget_fields(over: Budgets) -> tuple[Field, ...]:
    cost = f"{over.cost / MILLION:g}" if over.cost else ""
    return (
        Field("turns", "Turns at most", str(over.turns)),
        Field("tokens", "Tokens at most", str(over.tokens or ""), hint="no limit"),
        Field("minutes", "Minutes at most", str(over.minutes or ""), hint="no limit"),
        Field("cost", "Cost at most", cost, hint="no limit"),
    )
