"""A backtest as a page: what is on it, and that no text on it is anything but text (D4, D12)."""

from pathlib import Path

from msgspec.structs import replace

from rawr.backtest.pool import backtest_file
from rawr.backtest.result import SessionResult
from rawr.backtest.summary import Summary, Tally
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.policy import Policy
from rawr.pages.backtest import backtest_page
from rawr.pages.parts.bars import Small
from tests.history.full import session, write
from tests.pages.hostile import HOSTILE
from tests.pages.reading import Page

DRAWN = (Small("03:04", ((1.0, 9.0, 2.0), (1.0, 3.0, 4.0)), "1 on record, 1 with rawr"),)


def found(folder: Path) -> SessionResult:
    [(one, _)] = backtest_file(str(write(folder, session())), (Policy(),))
    return one


def total(one: SessionResult, *, policy: str = "yours") -> Summary:
    tally = Tally(FullAuto(), policy=policy)
    tally.add(one)
    return tally.total(seconds=1.0)


def test_what_is_on_it(tmp_path: Path) -> None:
    one = found(tmp_path)
    page = Page(backtest_page((total(one), total(one, policy="calm.toml")), (one,), DRAWN, made=0))
    assert [each.attributes["id"] for each in page.named("section")] == [
        "side-by-side",
        "sessions-that-got-fullest",
        "when-rawr-would-have-compacted",
        "sessions",
        "what-was-read",
    ]
    assert "100 %" in page.text(inside="strong")
    assert "calm.toml" in page.text(inside="th")
    assert page.text(inside="code").startswith("rollout-")


def test_no_text_becomes_anything_else(tmp_path: Path) -> None:
    """A file, a policy and a kind of line can have any name."""
    one = found(tmp_path)
    plain = Page(backtest_page((total(one),), (one,), DRAWN, made=0))
    other = replace(one, file=f"/x/{HOSTILE}", skipped={HOSTILE: 1})
    small = replace(DRAWN[0], name=HOSTILE, note=HOSTILE)
    page = Page(backtest_page((total(other, policy=HOSTILE),), (other,), (small,), made=0))
    assert {name for name, _ in page.shapes} == {name for name, _ in plain.shapes}
    assert page.others == []
    assert not any("onerror" in each.attributes or "onload" in each.attributes for each in page.elements)
