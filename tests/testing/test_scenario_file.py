"""Scenario files: every form a person may write, and every mistake, with its file, line and key."""

from pathlib import Path

import pytest

from rawr.errors import ScenarioError
from rawr.testing import (
    Ask,
    Call,
    Cut,
    Fail,
    Garbage,
    Hang,
    HttpError,
    Option,
    Patch,
    Plan,
    PlanStep,
    Question,
    Raw,
    Reply,
    Run,
    Say,
    Scenario,
    Think,
    Usage,
    When,
    load_scenario,
    parse_scenario,
)

SCENARIOS = Path(__file__).parent.parent / "scenarios"

EVERY_FORM = """\
name: every form
window: 100000
replies:
  - when: { user: "a", first_user: "b", tool: "c", any: "d" }
    think: "hm"
    say: "yes"
    run: "ls"
    plan: ["done: one", "doing: two: parts", "todo: three"]
    call: { tool: t, arguments: { n: 1, deep: [true, null] }, namespace: ns }
    ask: { question: "Which?", options: ["A", { label: B, description: "b" }] }
    raw: { type: message, role: assistant }
    usage: 12000
    delay: 0.2
    delay_between: 1
    times: 3
  - do:
      - run: { cmd: "ls", escalate: true, why: "because", yield_ms: 500, workdir: "src" }
      - run: { cmd: "pwd" }
      - plan: { steps: ["todo: x"], explanation: "anew" }
      - call: { tool: bare }
      - patch: "*** Begin Patch\\n*** End Patch"
      - ask:
          - { question: "1?", options: ["A"], id: one, header: One }
          - { question: "2?", options: ["B"] }
    usage: { input: 10, cached: 5, output: 4, reasoning: 1 }
    times: always
  - { when: { compaction: true }, say: "short" }
  - fault: { http: 429, retry_after: 2, body: "slow down" }
  - { say: "x", fault: { cut_after: 3 } }
  - fault: hang
  - { say: "x", fault: { hang_after: 2 } }
  - fault: garbage
  - fault: { failed: overloaded, message: "later" }
"""


def test_every_form() -> None:
    first = (
        Think("hm"),
        Say("yes"),
        Run(cmd="ls"),
        Plan((PlanStep("one", "completed"), PlanStep("two: parts", "in_progress"), PlanStep("three", "pending"))),
        Call(tool="t", arguments={"n": 1, "deep": [True, None]}, namespace="ns"),
        Ask((Question(id="q1", header="Question", question="Which?", options=(Option("A", "A"), Option("B", "b"))),)),
        Raw({"type": "message", "role": "assistant"}),
    )
    second = (
        Run(cmd="ls", escalate=True, why="because", yield_ms=500, workdir="src"),
        Run(cmd="pwd"),
        Plan((PlanStep("x", "pending"),), "anew"),
        Call(tool="bare"),
        Patch("*** Begin Patch\n*** End Patch"),
        Ask(
            (
                Question(id="one", header="One", question="1?", options=(Option("A", "A"),)),
                Question(id="q2", header="Question", question="2?", options=(Option("B", "B"),)),
            )
        ),
    )
    assert parse_scenario(EVERY_FORM) == Scenario(
        name="every form",
        window=100_000,
        source="<text>",
        replies=(
            Reply(
                steps=first,
                when=When(user="a", first_user="b", tool="c", any="d"),
                usage=Usage(input=12_000),
                delay=0.2,
                delay_between=1.0,
                times=3,
            ),
            Reply(steps=second, usage=Usage(input=10, cached=5, output=4, reasoning=1), times="always"),
            Reply(steps=(Say("short"),), when=When(compaction=True)),
            Reply(fault=HttpError(status=429, retry_after=2.0, body="slow down")),
            Reply(steps=(Say("x"),), fault=Cut(3)),
            Reply(fault=Hang()),
            Reply(steps=(Say("x"),), fault=Hang(2)),
            Reply(fault=Garbage()),
            Reply(fault=Fail("overloaded", "later")),
        ),
    )


def test_steps_keep_the_order_of_the_file() -> None:
    (reply,) = parse_scenario("name: n\nreplies: [{run: ls, say: a, think: b}]").replies
    assert reply.steps == (Run(cmd="ls"), Say("a"), Think("b"))


def test_aliases_work() -> None:
    first, second = parse_scenario("name: n\nreplies: [&again {say: a}, *again]").replies
    assert first == second


@pytest.mark.parametrize("file", sorted(SCENARIOS.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_committed_files_are_readable(file: Path) -> None:
    assert load_scenario(file).source == str(file)


MISTAKES = {
    "unknown key at the top": (
        "name: n\nreply: []",
        "s.yaml:2: unknown key 'reply'. Known here: name, window, replies.",
    ),
    "unknown key in a reply": (
        "name: n\nreplies:\n  - say: a\n  - say: b\n    tims: 3",
        (
            "s.yaml:5: replies[1]: unknown key 'tims'. Known here: when, do, usage, delay, delay_between, fault, "
            "times, think, say, run, plan, call, ask, patch, raw."
        ),
    ),
    "unknown key deep down": (
        "name: n\nreplies:\n  - run:\n      cmd: ls\n      sudo: true",
        "s.yaml:5: replies[0].run: unknown key 'sudo'. Known here: cmd, escalate, why, yield_ms, workdir.",
    ),
    "merge key": (
        "name: n\nreplies:\n  - {<<: {say: a}}",
        (
            "s.yaml:3: replies[0]: unknown key '<<'. Known here: when, do, usage, delay, delay_between, fault, "
            "times, think, say, run, plan, call, ask, patch, raw."
        ),
    ),
    "key twice": (
        "name: n\nreplies:\n  - say: a\n    say: b",
        "s.yaml:4: replies[0]: the key 'say' appears twice.",
    ),
    "no name": ("replies: []", "s.yaml:1: the key 'name' is missing."),
    "no replies": ("name: n", "s.yaml:1: the key 'replies' is missing."),
    "not a mapping": (
        "- say: a",
        "s.yaml:1: expected a mapping with the keys name, window, replies, got a list.",
    ),
    "empty": ("", "s.yaml:1: the file is empty. A scenario has at least a name and replies."),
    "bare yes": (
        "name: n\nreplies:\n  - say: yes",
        "s.yaml:3: replies[0].say: expected text, got true or false (true). Put it in quotes.",
    ),
    "number for text": (
        "name: n\nreplies:\n  - say: 42",
        "s.yaml:3: replies[0].say: expected text, got a number (42). Put it in quotes.",
    ),
    "list for text": ("name: n\nreplies:\n  - say: [a]", "s.yaml:3: replies[0].say: expected text, got a list."),
    "nothing for text": (
        "name: n\nreplies:\n  - say:",
        "s.yaml:3: replies[0].say: expected text, got nothing. Put it in quotes.",
    ),
    "mapping for a list": ("name: n\nreplies: {}", "s.yaml:2: replies: expected a list, got a mapping."),
    "text for a flag": (
        "name: n\nreplies:\n  - run: {cmd: ls, escalate: maybe}",
        "s.yaml:3: replies[0].run.escalate: expected true or false, got text (maybe).",
    ),
    "fraction for a whole number": (
        "name: n\nreplies:\n  - {say: a, usage: 1.5}",
        "s.yaml:3: replies[0].usage: expected a whole number, got a number (1.5).",
    ),
    "text for seconds": (
        "name: n\nreplies:\n  - {say: a, delay: soon}",
        "s.yaml:3: replies[0].delay: expected a number of seconds, got text (soon).",
    ),
    "negative delay": (
        "name: n\nreplies:\n  - {say: a, delay: -1}",
        "s.yaml:3: replies[0]: a delay is 0 seconds or more.",
    ),
    "no window": ("name: n\nwindow: 0\nreplies: []", "s.yaml:2: window: a context window is 1 token or more."),
    "times": ("name: n\nreplies:\n  - {say: a, times: 0}", "s.yaml:3: replies[0]: times is 1 or more, or always."),
    "times in words": (
        "name: n\nreplies:\n  - {say: a, times: often}",
        "s.yaml:3: replies[0].times: expected a whole number or always, got text (often).",
    ),
    "usage that does not add up": (
        "name: n\nreplies:\n  - say: a\n    usage: {input: 1, cached: 2}",
        "s.yaml:4: replies[0].usage: cached tokens are part of input, and reasoning tokens part of output.",
    ),
    "bad pattern": (
        "name: n\nreplies:\n  - when: {user: '('}\n    say: a",
        (
            "s.yaml:3: replies[0].when: when.user is not a regular expression: "
            "missing ), unterminated subpattern at position 0."
        ),
    ),
    "plan word": (
        "name: n\nreplies:\n  - plan: ['finished: x']",
        (
            "s.yaml:3: replies[0].plan[0]: expected a step such as 'done: …', 'doing: …' or 'todo: …', "
            "got text (finished: x)."
        ),
    ),
    "nothing to do": (
        "name: n\nreplies:\n  - usage: 1",
        "s.yaml:3: replies[0]: a reply needs something to do: say, think, run, plan, call, ask, patch, raw or fault.",
    ),
    "do beside a step": (
        "name: n\nreplies:\n  - say: a\n    do: [{say: b}]",
        "s.yaml:4: replies[0].do: 'do' is beside 'say'. Move every step into 'do', or none.",
    ),
    "two steps in one entry": (
        "name: n\nreplies:\n  - do:\n    - {say: a, run: b}",
        "s.yaml:4: replies[0].do[0]: each entry of 'do' holds one step. Start a new entry with '- ' for each.",
    ),
    "no command": ("name: n\nreplies:\n  - run: {why: x}", "s.yaml:3: replies[0].run: the key 'cmd' is missing."),
    "no tool": ("name: n\nreplies:\n  - call: {}", "s.yaml:3: replies[0].call: the key 'tool' is missing."),
    "no plan steps": (
        "name: n\nreplies:\n  - plan: {explanation: x}",
        "s.yaml:3: replies[0].plan: the key 'steps' is missing.",
    ),
    "no options": (
        "name: n\nreplies:\n  - ask: {question: x}",
        "s.yaml:3: replies[0].ask: the key 'options' is missing.",
    ),
    "half an option": (
        "name: n\nreplies:\n  - ask: {question: x, options: [{label: a}]}",
        "s.yaml:3: replies[0].ask.options[0]: an option is a text, or has both label and description.",
    ),
    "arguments": (
        "name: n\nreplies:\n  - call: {tool: t, arguments: [x]}",
        "s.yaml:3: replies[0].call.arguments: expected a mapping, got a list.",
    ),
    "raw": ("name: n\nreplies:\n  - raw: text", "s.yaml:3: replies[0].raw: expected a mapping, got text (text)."),
    "patch": (
        "name: n\nreplies:\n  - patch: nonsense",
        "s.yaml:3: replies[0].patch: a patch starts with '*** Begin Patch' and ends with '*** End Patch'.",
    ),
    "fault word": (
        "name: n\nreplies:\n  - fault: explode",
        (
            "s.yaml:3: replies[0].fault: expected hang, garbage, or a mapping with http, cut_after, hang_after "
            "or failed, got text (explode)."
        ),
    ),
    "two faults": (
        "name: n\nreplies:\n  - fault: {http: 500, cut_after: 1}",
        (
            "s.yaml:3: replies[0].fault: cut_after, http does not describe a fault. "
            "Write http (retry_after, body, headers), cut_after, hang_after, or failed (with message)."
        ),
    ),
    "good status": (
        "name: n\nreplies:\n  - fault: {http: 200}",
        "s.yaml:3: replies[0].fault: an HTTP error is a status from 400 to 599, not 200.",
    ),
    "steps before an HTTP error": (
        "name: n\nreplies:\n  - {say: a, fault: {http: 500}}",
        "s.yaml:3: replies[0]: a reply that fails before it begins has no steps; give it the fault alone.",
    ),
    "negative events": (
        "name: n\nreplies:\n  - {say: a, fault: {cut_after: -1}}",
        "s.yaml:3: replies[0]: a number of events is 0 or more.",
    ),
    "no YAML": (
        "name: n\nreplies: [",
        "s.yaml:2: this is not YAML: expected the node content, but found '<stream end>'.",
    ),
    "tab": (
        "name: n\n\treplies: []",
        "s.yaml:2: this is not YAML: found character '\\t' that cannot start any token.",
    ),
    "two documents": (
        "name: n\nreplies: []\n---\nname: m",
        "s.yaml:3: this is not YAML: found another document.",
    ),
    "an object of Python's": (
        "name: n\nreplies:\n  - raw: {a: !!python/object:os.system {}}",
        ("s.yaml:3: replies[0].raw: there is 'tag:yaml.org,2002:python/object:os.syste', which cannot be read."),
    ),
    "control character": (
        "name: n\nreplies: \x00",
        "s.yaml:2: the character 0x0 is not allowed in YAML.",
    ),
}


@pytest.mark.parametrize(("text", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ScenarioError) as failure:
        parse_scenario(text, source="s.yaml")
    assert str(failure.value) == message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing, latin = tmp_path / "missing.yaml", tmp_path / "latin.yaml"
    latin.write_bytes(b"name: caf\xe9")
    for path, reason in (
        (missing, "cannot be read: No such file or directory."),
        (latin, "is not UTF-8 text (byte 9)."),
    ):
        with pytest.raises(ScenarioError) as failure:
            load_scenario(path)
        assert str(failure.value) == f"{path}: {reason}"
