"""A session of the real Codex, recorded and then told again by the command (C17, D4)."""

import shutil
from pathlib import Path

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.facts import Recorded
from rawr.journal.reader import JournalReader
from tests.cli.program import rawr
from tests.core.golden.journaled import altered

LATER = """
[rawr_auto_compaction.policy]
early.percent_remaining_lt = 30
ready.percent_remaining_lt = 25
asap.percent_remaining_lt = 20
"""


def test_a_session_with_a_compaction_leads_to_the_same_again(tmp_path: Path) -> None:
    """C17: everything on record follows from the facts; one fact altered in a copy, and it differs in that place.
    D4: with later thresholds, the compaction would not have been begun."""
    journal = Path(str(rawr("demo", "--json").lines[-1]["journal"]))
    ended = rawr("replay", str(journal), "--verify", "--json")
    assert ended.code == 0, ended.out
    [total] = ended.lines
    assert all(total[what] for what in ("decisions", "effects", "boundaries", "states"))

    copy = Path(shutil.copy(journal, tmp_path / "copy.db"))
    seq = first(copy, facts.UserSubmitted)
    other = 'UPDATE facts SET body = replace(body, \'"text":"\', \'"text":"Do not: \') WHERE seq ='
    altered(copy, f"{other} {seq}")
    found = rawr("replay", str(copy), "--json")
    assert (found.code, found.lines[0]["seq"], found.lines[0]["what"]) == (1, seq, "effects")
    assert rawr("replay", str(journal)).code == 0

    (tmp_path / "later.toml").write_text(LATER)
    otherwise = rawr("replay", str(journal), "--policy", str(tmp_path / "later.toml"))
    assert (otherwise.code, "compact.decided.boundary → (nothing)" in otherwise.out) == (0, True)


def first(path: Path, kind: type[facts.Fact]) -> int:
    with JournalReader.open(path) as reader:
        return next(one.seq for one in reader.facts() if isinstance(one, Recorded) and isinstance(one.fact, kind))
