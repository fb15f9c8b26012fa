"""C10: loops, branches and variables give each command the words that bash gives it. Bash itself is asked."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rawr.approvals import Rules, Surroundings
from rawr.approvals.calls import Calls, Ends, Words
from rawr.approvals.line import Line
from rawr.approvals.places import Folders, Places
from rawr.approvals.reading.agreement import disagreements
from rawr.approvals.reading.lexer import lex
from rawr.approvals.reading.structure import Chain, Pipeline, Sequence, loops, structure
from tests.observe.bash_oracle import calls_of, fits

ITEMS = ["a", "b/c.txt", "'x y'", '"d"', "-n", "HEAD~1", "a=b", "''", "'*'", "1", "e\\ f", "'[z]'", "g*", "+x", "[id]"]
WORDS = ["$v", '"$v"', "${v}", '"${v}"', "p/$v", "$v.py", '"== $v =="', "'$v'", "\\$v", "x", "$w", '"$w$v"', "*$v"]
LINES = [
    "for v in {items}; do rec {words}; done",
    "for v in {items}; do rec x; for w in {more}; do rec {words}; done; done",
    "w={one}; for v in {items}; do rec {words}; done",
    "v={one}; w=$v; rec {words}",
    "v={one}; for w in {items}; do v=$w; rec {words}; done",
    "v={one}; for w in {items}; do rec {words}; v=z; done",
    "v={one}; if rec x; then rec {words}; else rec y; fi; rec {words}",
    "v={one}; if rec x; then v={two}; rec {words}; fi; rec {words}",
    "v={one}; {{ rec {words}; v={two}; }}; rec {words}",
    "for v in {items}; do continue; rec {words}; done",
]
some = st.lists(st.sampled_from(ITEMS), min_size=1, max_size=3).map(" ".join)


class _Recorded(Calls):
    """Takes down what each command is given, in the order in which it is walked."""

    seen: list[tuple[str | None, ...]]

    def judge(
        self,
        words: Words,
        assignments: Words,
        folders: Folders,
        *,
        nested: int,
        wrapped_in: int = 0,
    ) -> Ends:
        if words[0].text == "rec":
            self.seen.append(tuple(None if word.shape else word.text for word in words[1:]))
        return Ends(folders, folders)


def walked(line: str, folder: Path) -> list[tuple[str | None, ...]] | None:
    """What rawr takes for the calls of ``rec``; None if it does not know."""
    walk = Line(Places(folder, Surroundings(home=folder.parent / "home")), Rules(), moved=False)
    recorded = _Recorded(walk.places, Rules(), walk.found, code=walk.code, moved=False)
    recorded.seen = []
    walk.calls = recorded
    walk.code(line, frozenset({folder}))
    return None if walk.found.problems else recorded.seen


@pytest.mark.mission("C10")
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(LINES), some, some, st.sampled_from(ITEMS), st.sampled_from(ITEMS),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
)  # fmt: skip
def test_every_round_is_that_of_bash(
    tmp_path_factory: pytest.TempPathFactory, form: str, items: str, more: str, one: str, two: str, words: str
) -> None:
    folder = tmp_path_factory.getbasetemp()
    line = form.format(items=items, more=more, one=one, two=two, words=words)
    (folder / "empty").mkdir(exist_ok=True)
    ours = walked(line, (folder / "empty").resolve())
    for call in calls_of(line, folder) or () if ours is not None else ():
        assert any(fits(call, words) for words in ours or ()), line


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("for f in a b; do rec $f; done", [("a",), ("b",)]),
        ("for f in a b; do for g in 1 2; do rec $f$g; done; done", [("a1",), ("a2",), ("b1",), ("b2",)]),
        (
            "f=x; if rec $f; then rec y; elif rec z; then rec 1; else rec 2; fi",
            [("x",), ("y",), ("z",), ("1",), ("2",)],
        ),
        ("f=x; for g in 1 1; do rec $f; done", [("x",), ("x",)]),
    ],
)
def test_the_rounds_in_their_order(tmp_path: Path, line: str, calls: list[tuple[str, ...]]) -> None:
    assert walked(line, tmp_path.resolve()) == calls


@pytest.mark.parametrize(
    "line",
    [
        "for f in a; do :; done; rec $f",
        "if rec; then f=a; fi; rec $f",
        "(f=a); rec $f",
        "for f in a; do g=$f; done; rec $g",
        "g=a; for f in 1 2; do rec $g; g=$f; done",
        "for f in 'a b'; do rec $f; done",
        "for path in a; do rec $path; done",
        "f=a | rec $f",
        "rec && f=a; rec $f",
    ],
)
def test_what_is_not_known(tmp_path: Path, line: str) -> None:
    assert walked(line, tmp_path.resolve()) is None


def test_values_that_grow(tmp_path: Path) -> None:
    doubled = "".join(f"{after}=${before}${before}; " for before, after in pairwise("abcdefghijkl"))
    assert walked(f"a=xx; {doubled}rec $k", tmp_path.resolve()) == [("xx" * 2**10,)]
    assert walked(f"a=xxxxx; {doubled}rec $l", tmp_path.resolve()) is None


def test_both_readers_see_what_a_loop_goes_through() -> None:
    code = "for f in a 'b c'; do ls; done"
    sequence = structure(lex(code).tokens)
    assert disagreements(code, sequence) == []
    loop = next(loops(sequence))
    other = replace(loop, items=(loop.items[0], replace(loop.items[1], text="b")))
    pipeline = Pipeline((other,))
    assert disagreements(code, Sequence(((Chain(pipeline), False),))) == ["`a 'b c'` can be read in two ways."]
