from pathlib import Path

from tests.compat.report import BEGIN, END, Share, Tried, table, write_docs

WORKS = Tried("0.163.0", "", {"golden path": Share(17, 17)})
OLD = Tried("0.136.0", "rawr needs a newer one")
BROKEN = Tried("0.170.0", "", {"golden path": Share(1, 17)})


def test_a_version_works_is_refused_or_is_a_failure() -> None:
    assert [one.as_it_should for one in (WORKS, OLD, BROKEN)] == [True, True, False]
    assert not Tried("0.1.0", "", {"golden path": Share(0, 0)}).as_it_should


def test_the_table_goes_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "compat.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_docs([WORKS, OLD], ("golden path",), page)
    text = page.read_text()
    assert "| 0.163.0 | 17 of 17 | ok |" in text
    assert "| 0.136.0 | – | refused: rawr needs a newer one |" in text
    assert table([WORKS, OLD], ("golden path",)) in text
    assert (text[:7], text[-6:], "\nold" in text) == ("before\n", "after\n", False)
