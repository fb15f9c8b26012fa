"""Journals of real sessions, recorded before the core got its present shape, lead to the same again (C17, D5).

Each is a session of the real Codex on a scripted model. Paths are those of nobody, as long as the real ones were.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from rawr.core.kernel import Kernel
from rawr.core.vocabulary.effects import AskModel, Notify
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence, Record
from tests.core.golden.lines import HERE, Line, Named, line_of, read

RECORDED = sorted((HERE / "recorded").glob("*.ndjson"))
MOST_BYTES = 60_000


def told(lines: list[Line]) -> list[Line]:
    """The same facts, taken by today's core."""
    kernel = Kernel()
    found: list[Line] = []
    for line in lines:
        kernel.seq = line.seq - 1
        found.append(line_of(kernel.take(line.thread, line.fact, at=line.at)))
    return found


def without_wording(line: Line) -> Line:
    """What a person reads may be worded anew, and a model may be told more of the past; what an agent reads may not
    change. There may be more guards than there were; the old ones have to say the same."""
    return replace(line, do=tuple(_plain(one) for one in line.do), because=tuple(_asked(one) for one in line.because))


KNOWN = ("turns", "tokens", "minutes", "cost", "churn", "no_progress", "same_error", "compactions")
"""The guards of the time of the recordings."""


NEWER = ("agent_done", "need")
"""What is seen and said since LOGIC 11 in decisions of all kinds, and was not then."""


def _as_seen_then(evidence: Mapping[str, Evidence]) -> dict[str, Evidence]:
    kept = {name: one for name, one in evidence.items() if name not in NEWER}
    for name in ("boundaries", "satisfied"):
        listed = kept.get(name)
        if isinstance(listed, list):
            kept[name] = [one for one in listed if not str(one).startswith(NEWER)]
    return kept


def _asked(record: Record) -> Record:
    record = replace(record, evidence=_as_seen_then(record.evidence))
    if record.reason is Reason.COMPACT_AUDITED_OUTSIDE:
        # It names the tier since; percent and tokens have to be the same.
        return replace(record, evidence={name: one for name, one in record.evidence.items() if name != "tier"})
    if record.reason in (Reason.RUN_PAUSED_CLOSED, Reason.RUN_PAUSED_ARCHIVED):
        # An archived thread has a reason of its own since.
        record = replace(record, reason=Reason.RUN_PAUSED_CLOSED, evidence={**record.evidence, "detail": ""})
    if record.evidence.get("stop") == Reason.RUN_PAUSED_ARCHIVED:
        record = replace(record, evidence={**record.evidence, "stop": Reason.RUN_PAUSED_CLOSED.value})
    guards = record.evidence.get("guards")
    if not isinstance(guards, list):
        return record
    kept = [one for one in guards if str(one).partition(" ")[0] in KNOWN]
    return replace(record, evidence={**record.evidence, "guards": kept})


NEWER_SEEN = re.compile(r'\{"kind":"agent_done"[^{}]*\},')
PAST = re.compile(r"^(?:recent_actions|compaction_events): .*\n?", re.MULTILINE)


def _plain(one: Named) -> Named:
    match one.effect:
        case Notify() as notice:
            return replace(one, effect=replace(notice, text=""))
        case AskModel(inputs=inputs) as asked:
            told = {name: NEWER_SEEN.sub("", PAST.sub("", text)) for name, text in inputs.items()}
            return replace(one, effect=replace(asked, inputs=told))
        case _:
            return one


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_session_leads_to_the_same_again(path: Path) -> None:
    lines = list(read(path))
    for then, now in zip(lines, told(lines), strict=True):
        assert without_wording(now) == without_wording(then)


def test_they_hold_much_of_what_can_happen() -> None:
    reasons = {record.reason for path in RECORDED for line in read(path) for record in line.because}
    assert len(RECORDED) == 10
    assert len(reasons) > 45
    assert {Reason.RUN_DONE_CHECKED, Reason.JUDGMENT_ASKED_MODEL, Reason.COMPACT_AUDITED_OUTSIDE} <= reasons


def test_the_files_stay_small() -> None:
    assert all(path.stat().st_size < MOST_BYTES for path in RECORDED)
