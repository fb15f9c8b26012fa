"""A long past costs a start and a look nothing: rows are counted, not seconds."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rawr.core.kernel import Kernel
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal
from rawr.runtime.recovery import Recollection, restore
from rawr.views import decisions
from rawr.views.recorded import recall
from tests.core.samples import QUIET
from tests.runtime.rig import VERSION
from tests.runtime.test_retention import Kind, lived

SHORT: list[Kind] = ["run", "talk", "long"]
BEFORE: list[Kind] = ["run", "talk", "long", "pinned"]
LONG = [*BEFORE, *BEFORE, *BEFORE, *BEFORE, *SHORT]


def start(reader: JournalReader) -> object:
    kernel = Kernel(QUIET)
    restore(kernel, reader, Recollection(reader, policy=QUIET, version=VERSION))
    return sorted(kernel.threads)


def status(reader: JournalReader) -> object:
    shown = [(one.span.facts, decisions.newest(reader, one.span)) for one in recall(reader, QUIET, most=3)]
    assert all(facts for facts, _ in shown)
    reader.totals()
    return len(shown)


def log(reader: JournalReader) -> object:
    found = decisions.newest_decided(reader, most=5)
    decisions.decision_views(found, decisions.labels(reader))
    decisions.decisions_named(reader, found[-1].id)
    return len(found)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    homes = {name: tmp_path_factory.mktemp(name) / "home" for name in ("short", "long")}
    lived(homes["short"], SHORT)
    lived(homes["long"], LONG)
    return homes


@pytest.mark.parametrize("look", [start, status, log])
def test_it_reads_as_many_rows_whatever_came_before(
    homes: dict[str, Path], monkeypatch: pytest.MonkeyPatch, look: Callable[[JournalReader], object]
) -> None:
    """B11: a start concerns the threads that rawr was in touch with, and a look those that it shows."""
    rows = 0
    plain = JournalReader._all

    def counting(self: JournalReader, query: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        nonlocal rows
        found = plain(self, query, values)
        rows += len(found)
        return found

    monkeypatch.setattr(JournalReader, "_all", counting)
    read: dict[str, int] = {}
    found: dict[str, object] = {}
    for name, home in homes.items():
        rows = 0
        with Journal.open(home) as journal, JournalReader.open(journal.path) as reader:
            found[name] = look(reader)
        read[name] = rows
    # Steps of a few rows: where the last snapshot fell, and which page of the decisions is the last.
    assert read["long"] <= read["short"] * 1.2 + 20, read
    if look is not start:
        assert found["long"] == found["short"]
