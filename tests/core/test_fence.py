"""Fences: text that is not ours stays inside its block, whatever it holds (A14)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.core.fence import LEAST, fenced
from tests.core.fences import unfenced

HOSTILE = st.text(st.sampled_from("`~\n\r\t\x00\x1b abc[]{}#:\u2028") | st.characters(codec="utf-8"), max_size=200)


def closings(block: str, fence: str) -> list[int]:
    """The lines after the first that would close the block for a reader of Markdown."""
    lines = re.split(r"\r\n|\n|\r", block)[1:]
    pattern = re.compile(rf" {{0,3}}`{{{len(fence)},}}[ \t]*")
    return [n for n, line in enumerate(lines) if pattern.fullmatch(line)]


@given(text=HOSTILE, label=st.sampled_from(["", "packet", "recorded"]))
def test_only_the_last_line_closes_a_block(text: str, label: str) -> None:
    """A14: no content can close the block it stands in."""
    block = fenced(text, label=label)
    fence = block.partition("\n")[0].removesuffix(label)
    assert set(fence) == {"`"}
    assert len(fence) >= LEAST
    assert closings(block, fence) == [len(re.split(r"\r\n|\n|\r", block)) - 2]


@given(text=HOSTILE)
def test_the_content_comes_out_as_it_went_in(text: str) -> None:
    """D3: verbatim; only a last line without its end gets one."""
    whole = text if text.endswith("\n") or not text else text + "\n"
    assert unfenced(fenced(text, label="packet"), label="packet") == whole


@given(inner=HOSTILE, outer=HOSTILE)
def test_a_block_in_a_block_stays_in_it(inner: str, outer: str) -> None:
    """A14: a fake block of the same label inside a real one is content."""
    packet = f"{outer}\n{fenced(inner, label='packet')}\n{outer}\n"
    assert unfenced(fenced(packet, label="packet"), label="packet") == packet


@pytest.mark.parametrize(("run", "fence"), [(0, 3), (1, 3), (2, 3), (3, 4), (9, 10)])
def test_a_fence_is_one_longer_than_any_run_inside(run: int, fence: int) -> None:
    assert fenced(f"a {'`' * run} b").startswith("`" * fence + "\n")


def test_nothing_is_a_block_too() -> None:
    assert fenced("", label="packet") == "```packet\n```"


@pytest.mark.parametrize("message", ["", "no block", "```other\nx\n```", "```packet\nnever closed"])
def test_a_block_that_is_not_there_is_not_found(message: str) -> None:
    assert unfenced(message, label="packet") is None
