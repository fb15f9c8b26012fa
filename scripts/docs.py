"""Writes docs/reference and the picture of the demo from the code; with --check, says what is not as the code has it.

Also checks that every relative link in a Markdown file leads somewhere, and with --check that a strict type checker
takes the examples: the package says that it is typed.
"""

import argparse
import inspect
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import get_args

import msgspec
from mypy import api
from typer.main import get_command

from rawr.approvals.programs.deciding import DECIDED_BY, Decided
from rawr.cli.exit_codes import Exit
from rawr.cli.main import app
from rawr.codex.wire.methods import CALLS
from rawr.codex.wire.notifications import DELTAS, NOTIFICATIONS
from rawr.codex.wire.server_requests import SERVER_REQUESTS
from rawr.config.attention import Attention
from rawr.config.settings import IN_FRONTMATTER, KEPT_DAYS, SECTION
from rawr.core.compaction import table as golden_path
from rawr.core.policy.boundary_kinds import BoundaryKind
from rawr.core.policy.compaction import AutoCompaction, TierPolicy
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.markers import Markers
from rawr.core.policy.models import Models
from rawr.core.policy.policy import Limits
from rawr.core.policy.tiers import TIERS
from rawr.core.run import table as run
from rawr.core.vocabulary.effects import AnyEffect
from rawr.core.vocabulary.facts import AnyFact
from rawr.core.vocabulary.reasons import Reason
from rawr.prompts.catalog import PROMPTS

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
NOTE = "<!-- Written by `make docs`. Edit the code, not this file. -->\n"


def pages() -> dict[str, str]:
    return {
        "README.md": _index(),
        "commands.md": _commands(),
        "exit-codes.md": _exit_codes(),
        "approved-programs.md": _approved_programs(),
        "config.md": _config(),
        "reasons.md": _reasons(),
        "facts-and-effects.md": _vocabulary(),
        "codex.md": _codex(),
        "golden-path.md": _golden_path(),
        "run.md": _run(),
    }


def _index() -> str:
    return f"""{NOTE}
# Reference

- [Commands](commands.md)
- [Exit codes](exit-codes.md)
- [Programs that rawr approves](approved-programs.md)
- [Config](config.md)
- [Reason codes](reasons.md)
- [Facts and effects](facts-and-effects.md)
- [What rawr needs of Codex](codex.md)
- [The golden path](golden-path.md)
- [A run](run.md)
"""


def _commands() -> str:
    group = get_command(app)
    parts = [f"{NOTE}\n# Commands\n", _help(group, "rawr")]
    for name, command in sorted(group.commands.items()):  # type: ignore[attr-defined]
        parts.append(_help(command, f"rawr {name}"))
        for below, inner in sorted(getattr(command, "commands", {}).items()):
            parts.append(_help(inner, f"rawr {name} {below}"))
    return "\n".join(parts)


def _help(command: object, name: str) -> str:
    settings = {"terminal_width": 100, "max_content_width": 100, **(app.info.context_settings or {})}
    context = command.context_class(command, info_name=name, **settings)  # type: ignore[attr-defined]
    return f"## {name}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"  # type: ignore[attr-defined]


def _exit_codes() -> str:
    rows = "\n".join(f"| {code.value} | {code.meaning} |" for code in Exit)
    return f"{NOTE}\n# Exit codes\n\n| code | meaning |\n|---|---|\n{rows}\n"


def _approved_programs() -> str:
    together: dict[Decided, list[str]] = {}
    for name, answer in DECIDED_BY.items():
        together.setdefault(answer, []).append(name)
    rows = "\n".join(
        f"| {' '.join(f'`{name}`' for name in names)} | {answer.by} | {answer.held} |"
        for answer, names in together.items()
    )
    return f"""{NOTE}
# Programs that rawr approves

Without a rule of yours, and only with the arguments that [the guide](../guide/approvals.md) describes. An approved
command runs outside of Codex's sandbox while the agent goes on inside, so nothing that decides what a program does may
be the agent's to write.

| programs | what decides what they do | why the agent cannot make more of it |
|---|---|---|
{rows}
"""


def _config() -> str:
    tiers = "\n".join(_tier(name) for name in TIERS)
    prompts = "\n".join(f"| `{prompt.file}` | {prompt.purpose} |" for prompt in PROMPTS)
    kinds = ", ".join(f"`{kind}`" for kind in get_args(BoundaryKind))
    auto = AutoCompaction()
    return f"""{NOTE}
# Config

`RAWR_HOME/config.toml`, all of it optional; here with the defaults. It overrides the frontmatter of
`RAWR_HOME/auto-compact/auto-compact.md`. A value that cannot be used is a warning with file, line and key, and what
stood there before is used. `rawr config show` says what counts and where it came from;
[the guide](../guide/configuration.md) has examples.

```toml
[features]
# Off: observe and record, never act.
rawr_auto_compaction = true

[rawr_auto_compaction]
{_table(auto, without={"enabled", *TIERS, "markers"})}

{tiers}
# Words that count as a signal when the agent states them.
[rawr_auto_compaction.markers]
{_table(Markers())}

# Full Auto. The flags of `rawr run` come before these.
[rawr_full_auto]
{_table(FullAuto())}

# Typed questions to a model. Everything works without one.
[rawr_models]
{_table(Models())}

# How long rawr waits, in seconds.
[limits]
{_table(Limits())}

# How rawr calls you back to a run.
[notify]
{_table(Attention())}

# The record of what happened. For how long it keeps threads that nothing needs, in days; 0 keeps everything.
[journal]
keep_days = {KEPT_DAYS}

[host]
# `rawr run` and `rawr watch` work in a host, which goes on when the terminal closes.
background = true
# Variables of your terminal that its runs need, besides those on rawr's list: names, where * stands for any text.
# `rawr host environment` shows what is sent. For example: ["DATABASE_URL", "AWS_*"]
environment = []
# rawr works even where an agent can change rawr's own code: for those who work on rawr with rawr, and trust the agent.
code_in_reach = false

[codex]
# The Codex program. Default: `codex` on PATH, then the bundled one.
# bin = "…"
# Codex's own home. Default: CODEX_HOME, then ~/.codex.
# home = "…"
```

Boundaries that a tier may require: {kinds}.

## In the frontmatter

Every setting of `[rawr_auto_compaction]` may also stand in the frontmatter of `auto-compact.md`, without the name of
the table; some have a second name there. What `config.toml` says overrides it. Of two names in one file the later one
is used, with a warning.

| in `config.toml`, below `[rawr_auto_compaction]` | in the frontmatter |
|---|---|
{_frontmatter_names()}

## Prompt files

In `RAWR_HOME/auto-compact`, put there once and yours to edit.

| file | what it does |
|---|---|
{prompts}
"""


def _tier(name: str) -> str:
    tier: TierPolicy = getattr(AutoCompaction(), name)
    idle = {"requires_any_boundary", "plan_boundaries_require_semantic_break", "decision_prompt_path", "last_resort"}
    without = {"decision_prompt", *(idle if name == "emergency" else ())}
    return f"[rawr_auto_compaction.policy.{name}]\n{_table(tier, without=without)}\n"


def _frontmatter_names() -> str:
    named: dict[str, list[str]] = {}
    for name, settings in IN_FRONTMATTER.items():
        for setting in settings:
            named.setdefault(setting.removeprefix(f"{SECTION}."), []).append(f"`{name}`")
    return "\n".join(f"| `{setting}` | {', '.join(names)} |" for setting, names in named.items())


def _table(defaults: msgspec.Struct, *, without: set[str] | None = None) -> str:
    """The fields as TOML, each below its comment and the values that it takes."""
    comments = _field_comments(type(defaults))
    info = msgspec.inspect.type_info(type(defaults))
    fields = info.fields if isinstance(info, msgspec.inspect.StructType) else ()
    lines = []
    for field in fields:
        if field.name not in (without or ()):
            if not comments.get(field.name) and not isinstance(defaults, Markers):
                raise SystemExit(f"{type(defaults).__name__}.{field.name} is a setting without a comment below it")
            notes = [note for note in (comments.get(field.name), _range(field.type)) if note]
            if notes:
                lines.append(f"# {' '.join(notes)}")
            lines.append(f"{field.name} = {json.dumps(getattr(defaults, field.name))}")
    return "\n".join(lines)


def _range(kind: msgspec.inspect.Type) -> str:
    match kind:
        case msgspec.inspect.IntType(ge=int(least), le=int(most)):
            return f"{least} to {most}."
        case msgspec.inspect.LiteralType(values=values):
            return f"One of {', '.join(map(str, values))}."
        case _:
            return ""


def _field_comments(kind: type) -> dict[str, str]:
    """The string below a field, as the code has it."""
    found = re.findall(r'^    (\w+): [^\n]*\n    """(.+?)"""', inspect.getsource(kind), re.MULTILINE | re.DOTALL)
    return {name: " ".join(text.split()).replace("``", "`") for name, text in found}


def _reasons() -> str:
    rows = "\n".join(f"| `{reason.value}` | {reason.meaning} |" for reason in Reason)
    return f"{NOTE}\n# Reason codes\n\nEvery decision has one of these.\n\n| code | meaning |\n|---|---|\n{rows}\n"


def _vocabulary() -> str:
    return (
        f"{NOTE}\n# Facts and effects\n\n## Facts\n\nWhat happened.\n\n{_structs(AnyFact)}\n"
        f"## Effects\n\nWhat to do.\n\n{_structs(AnyEffect)}"
    )


def _structs(union: UnionType) -> str:
    rows = ["| name | fields | |", "|---|---|---|"]
    for kind in union.__args__:
        names = ", ".join(f"`{field.name}`" for field in msgspec.structs.fields(kind))
        doc = " ".join((kind.__doc__ or "").split()) if "__doc__" in vars(kind) else ""
        rows.append(f"| `{kind.__name__}` | {names} | {doc} |")
    return "\n".join(rows) + "\n"


def _codex() -> str:
    calls = "\n".join(f"- `{call.method}`" for call in CALLS)
    notifications = "\n".join(f"- `{method}`" for method in NOTIFICATIONS)
    deltas = "\n".join(f"- `{method}`" for method in DELTAS)
    requests = "\n".join(f"- `{method}`" for method in SERVER_REQUESTS)
    return f"""{NOTE}
# What rawr needs of Codex

`rawr doctor` compares the first two lists with the schemas that your Codex prints.

## Calls that rawr makes

{calls}

## Notifications that become facts

{notifications}

Others are counted and passed through. These are shown as they stream, and recorded only as part of their item:

{deltas}

## Requests that rawr can answer

{requests}

Requests of any other kind are refused at once, so that no turn hangs.
"""


def _golden_path() -> str:
    drawn = golden_path.diagram()
    return f"{NOTE}\n# The golden path\n\nDrawn from the table in the code.\n\n```mermaid\n{drawn}\n```\n"


def _run() -> str:
    rows = "\n".join(
        f"| {move.value} | {'anything' if states == run.ANY else ', '.join(map(_waiting, states))} | {_waiting(then)} |"
        for move, (states, then) in run.ROWS.items()
    )
    return f"""{NOTE}
# A run

What a Full Auto run waits for, and what it waits for next, drawn from the table in the code. `deciding` takes no time:
rawr works out what comes next.

```mermaid
{run.diagram()}
```

| when this happens | while it waits for | it waits for |
|---|---|---|
{rows}
"""


def _waiting(state: str) -> str:
    return f"`{state or 'deciding'}`"


def broken_links() -> Iterator[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    for name in listed.stdout.split():
        file = ROOT / name
        if not file.exists():
            continue
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", file.read_text()):
            if "://" not in target and not (file.parent / target).exists():
                yield f"{name}: there is no {target}"


EXAMPLES = ("README.md", "docs/guide/library.md", "docs/guide/testing.md", "src/rawr/views/README.md")


def wrong_examples() -> Iterator[str]:
    """What a user's checker would say about the programs on our pages."""
    with tempfile.TemporaryDirectory() as folder:
        for number, page in enumerate(EXAMPLES):
            [code] = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
            Path(folder, f"page{number}.py").write_text(code)
        options = ["--strict", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache' / 'examples'}"]
        said, broken, code = api.run([*options, *(f"{folder}/page{number}.py" for number in range(len(EXAMPLES)))])
    if code:
        yield f"an example in {', '.join(EXAMPLES)} (page0 is the first): {said}{broken}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if something differs")
    check = parser.parse_args().check
    problems = []
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        file = REFERENCE / name
        if file.exists() and file.read_text() == text:
            continue
        if check:
            problems.append(f"docs/reference/{name} is not what the code says; run `make docs`")
        else:
            file.write_text(text)
            print(f"wrote docs/reference/{name}")
    problems += broken_links()
    problems += wrong_examples() if check else ()
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
