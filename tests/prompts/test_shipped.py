"""The prompt files as rawr ships them: complete, short, and no signal to rawr itself (A10, A11, A14, A22, B8)."""

import re
from pathlib import Path

import pytest

from rawr.config.load import load_policy
from rawr.config.settings import OWN_NAMES
from rawr.core.compaction.phrases import stated
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.markers import Markers
from rawr.core.policy.prompts import PLACEHOLDERS, Prompts
from rawr.core.speech import NOTHING, PLACEHOLDER, block, line, render, say, template, word
from rawr.prompts.catalog import PROMPTS, PromptFile, named, shipped
from rawr.prompts.document import default_document, parse
from rawr.prompts.seeding import folder_of, seed

SECTIONS = [
    "Overall goal and scope",
    "What just completed",
    "Current state",
    "Invariants",
    "Decisions and findings not to repeat",
    "Open questions",
    "The single next step",
]
NAMES = [prompt.name for prompt in PROMPTS]


def _prompt(name: str) -> PromptFile:
    found = named(name)
    assert found is not None
    return found


def _body(name: str) -> str:
    return default_document(_prompt(name)).body


@pytest.mark.parametrize("name", NAMES)
def test_they_trigger_nothing(name: str) -> None:
    """B8: fed through the detectors as agent text, the body, the whole file and a filled-in body state no marker."""
    prompt = _prompt(name)
    filled = render(template(_body(name)), dict.fromkeys(PLACEHOLDERS[prompt.field], say("the parser")))
    empty = render(template(_body(name)), dict.fromkeys(PLACEHOLDERS[prompt.field], NOTHING))
    markers = Markers()
    for text in (_body(name), shipped(prompt), filled, empty, getattr(Prompts(), prompt.field)):
        for phrases in (markers.agent_done, markers.topic_shift, markers.concluding):
            assert stated(text, phrases) == ""


@pytest.mark.parametrize("name", NAMES)
def test_they_parse_without_a_word_and_use_every_placeholder(name: str) -> None:
    prompt = _prompt(name)
    document = parse(prompt, Path(prompt.file), shipped(prompt))
    assert document.warnings == ()
    assert document.body == default_document(prompt).body
    assert {found[1] for found in PLACEHOLDER.finditer(document.body)} == set(PLACEHOLDERS[prompt.field])
    assert {found[1] for found in PLACEHOLDER.finditer(getattr(Prompts(), prompt.field))} == set(
        PLACEHOLDERS[prompt.field]
    )


def test_every_field_has_its_file() -> None:
    assert sorted(prompt.field for prompt in PROMPTS) == sorted(Prompts.__struct_fields__) == sorted(PLACEHOLDERS)


@pytest.mark.parametrize("name", ["auto-compact", "watcher-packet"])
def test_packets_have_the_seven_sections(name: str) -> None:
    assert re.findall(r"^## (.+)$", _body(name), re.MULTILINE) == SECTIONS


def test_the_heads_up_is_short() -> None:
    body = _body("heads-up")
    assert len(body.splitlines()) <= 6
    assert len(body) < 700


def test_the_handoff_says_what_is_answered_and_leaves_out_what_is_empty() -> None:
    values = {
        "sequence": word("s7"),
        "author": say("you"),
        "packet": block("## Overall goal and scope\n\n\n{closing}"),
        "recorded": say("- commit abc123"),
        "directives": say("1. Never force-push."),
        "scratch": NOTHING,
        "offered": NOTHING,
        "words": NOTHING,
        "closing": say("Continue from here."),
    }
    text = render(template(_body("handoff")), values)
    assert text.startswith("[rawr s7] Handoff")
    assert "everything else that rawr asked before this message" in text
    assert values["packet"] in text
    assert "## Recorded by rawr" in text
    assert text.endswith("1. Never force-push.\n\nContinue from here.")


def test_the_watchers_packet_is_labelled() -> None:
    assert "written by rawr" in _body("watcher-packet").splitlines()[0]


def test_the_frontmatter_is_the_default(tmp_path: Path) -> None:
    """A22: what the shipped file says is what counts without it, and has all that has a name of its own there."""
    seed(tmp_path)
    loaded = load_policy(tmp_path)
    assert loaded.warnings == ()
    assert loaded.policy.compaction == AutoCompaction()
    file = folder_of(tmp_path) / "auto-compact.md"
    from_frontmatter = {name for name, origin in loaded.origins.items() if origin.source == "frontmatter"}
    assert from_frontmatter == {setting for settings in OWN_NAMES.values() for setting in settings}
    assert {loaded.origins[name].file for name in from_frontmatter} == {file}


# -- render ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("a {x} b", "a 1 b"),
        ("{y}", "“{z}”"),
        ("{unknown} {x}", "{unknown} 1"),
        ("a\n\n{empty}\n\nb", "a\n\nb"),
        ("a\n\n  {empty}\nb", "a\n\nb"),
        ("{empty}\n\n{empty}\n\nb", "b"),
        ("a {empty}.", "a ."),
        ('{"x": 1} { x }', '{"x": 1} { x }'),
    ],
)
def test_render(words: str, text: str) -> None:
    """What is put in is not searched again; a paragraph that would be empty goes."""
    values = {"x": word("1"), "y": line("{z}"), "z": word("never"), "empty": NOTHING}
    assert render(template(words), values) == text
