"""D5: killed at any point, the journal holds everything that it promised."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rawr.core.vocabulary.facts import Recorded
from rawr.journal.integrity import check
from rawr.journal.reader import JournalReader
from rawr.journal.store import Journal

WRITE_FOR_EVER = """
import sys
from pathlib import Path
from rawr.ports.memory import Batch
from rawr.journal.store import Journal
from tests.journal.samples import facts
journal = Journal.open(Path(sys.argv[1]))
seq = journal.last_seq()
while True:
    pile = []
    for _ in range(20):
        pile.append(journal.append(facts(seq + 1, seq + 7)))
        seq += 7
    pile[-1].result()
    print(seq, flush=True)
"""

LIMITED = """
import resource, sys
from pathlib import Path
from rawr.journal.errors import JournalUnwritable
from rawr.journal.store import Journal
from tests.journal.samples import facts
journal = Journal.open(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
seq, failure = 0, None
while failure is None:
    failure = journal.append(facts(seq + 1, seq + 100)).exception()
    seq += 0 if failure else 100
assert isinstance(failure, JournalUnwritable), failure
journal.close()
print(seq)
"""

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("lines", [1, 2, 5, 20])
def test_after_a_kill_everything_promised_is_there(tmp_path: Path, lines: int) -> None:
    """D5, B10."""
    home = tmp_path / "home"
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_FOR_EVER, str(home)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as writer:
        assert writer.stdout is not None
        promised = [int(writer.stdout.readline()) for _ in range(lines)][-1]
        writer.send_signal(signal.SIGKILL)
        promised = max([promised, *map(int, writer.stdout.read().split()[:-1])])

    assert check(home, full=True).findings == ()
    with Journal.open(home) as journal, JournalReader.open(home) as reader:
        assert journal.last_seq() >= promised
        kept = list(reader.facts())
        assert [row.seq for row in kept] == list(range(1, journal.last_seq() + 1))
        assert all(isinstance(row, Recorded) for row in kept)


def test_a_system_that_stops_taking_bytes_is_a_clear_error_and_loses_nothing(tmp_path: Path) -> None:
    """D5."""
    home = tmp_path / "home"
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(home)], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    promised = int(run.stdout)
    assert promised > 0
    with Journal.open(home) as journal:
        assert journal.last_seq() == promised
    assert check(home, full=True).findings == ()
