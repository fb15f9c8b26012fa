"""Each fact whole, for programs that keep the record."""

import msgspec
from msgspec import to_builtins

from rawr.core.kernel import Kernel
from rawr.core.vocabulary import facts
from rawr.views.facts import NoticeView, fact_view
from tests.core.runs import RULES
from tests.core.samples import AT, IDLE


def test_a_fact_with_what_followed() -> None:
    """Its keys are a promise."""
    kernel = Kernel(RULES)
    kernel.threads["t"] = IDLE
    taken = kernel.take("t", facts.UserSubmitted(text="hello"), at=AT)
    built = msgspec.json.decode(msgspec.json.encode(fact_view(taken)))
    assert built == {
        "type": "fact",
        "seq": 1,
        "at": AT,
        "thread": "t",
        "fact": {"fact": "UserSubmitted", "text": "hello"},
        "decisions": [{"reason": one.record.reason.value, "evidence": one.record.evidence} for one in taken.decisions],
        "effects": [{"id": one.id, **to_builtins(one.effect)} for one in taken.effects],
    }
    assert [one["reason"] for one in built["decisions"]] == ["turn.started.input"]
    assert built["effects"][0]["effect"] == "StartTurn"


def test_a_notice() -> None:
    assert to_builtins(NoticeView("t", "info", "Hello.")) == {
        "type": "notice",
        "thread": "t",
        "level": "info",
        "text": "Hello.",
    }
