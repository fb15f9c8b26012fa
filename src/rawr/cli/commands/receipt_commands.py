"""The commands about what happened: decisions, read, explained and labelled; reports; learning from them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from rawr.cli import completing
from rawr.cli.options import MOST_LISTED, CodexBin, CodexHome, Debug, Json, PlainUsage, UsageError, a_path, named

app = typer.Typer()

# The same words as in rawr.core, which is not imported only to show a help text.
SignatureName = Literal[
    "compaction_judgment",
    "full_auto_decision",
    "tool_input",
    "guidance_router",
    "task_understanding",
    "planning",
    "guidance_directive",
    "guidance_decision",
]


@app.command(short_help="List rawr's decisions, newest last.")
def log(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            callback=named,
            help="A run id (such as r12), a thread id, or either end of it. Default: the newest. "
            "With --label, a decision's name.",
            show_default=False,
            autocompletion=completing.names,
        ),
    ] = "",
    *,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Keep printing new decisions, until Ctrl-C.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--limit",
            metavar="N",
            min=0,
            max=MOST_LISTED,
            help="Print the newest N. Default: 200; 10 with --follow; all with --since or --json.",
        ),
    ] = None,
    since: Annotated[
        str,
        typer.Option(
            "--since", metavar="WHEN", callback=named, help="Only since then: 10m, 2h, 1d ago, or a date (2026-01-31)."
        ),
    ] = "",
    all_threads: Annotated[bool, typer.Option("--all-threads", help="Include all threads, not just one.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Include what rawr ignored.")] = False,
    label: Annotated[
        Literal["good", "bad"] | None,
        typer.Option(metavar="good|bad", help="Label a decision right or wrong. `rawr tune` learns from it."),
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="With --label: why.")] = "",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """List the decisions rawr made: when, why, and under which rules. `rawr explain` shows one in detail.

    With --label, record your verdict on one decision: rawr log 3f2a:29/0 --label bad --note "the tests were red".
    """
    from rawr.cli.commands import log as command
    from rawr.cli.commands import receipts

    if label is not None:
        if not name:
            raise typer.BadParameter("--label needs a decision; `rawr log` lists them.")
        if follow or all_threads or since or limit is not None:
            raise UsageError("--label records your verdict; it cannot be combined with options of the list.")
        raise typer.Exit(receipts.label(name, word=label, note=note, json=json))
    if name and all_threads:
        raise UsageError("give a NAME or --all-threads, not both.")
    wanted = command.Wanted(name, limit=limit, since=since, all_threads=all_threads, everything=everything, json=json)
    raise typer.Exit((command.follow if follow else command.show)(wanted))


@app.command(cls=PlainUsage, short_help="Explain one decision in plain words.")
def explain(
    decision: Annotated[
        str, typer.Argument(metavar="DECISION", callback=named, help="A decision's name, as `rawr log` prints it.")
    ],
    *,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Explain a decision: what went in, what the guards saw, what came out, and what followed."""
    from rawr.cli.commands import receipts

    raise typer.Exit(receipts.explain(decision, json=json))


@app.command(short_help="Decide everything in a journal again, and compare.")
def replay(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[THREAD|RUN|JOURNAL]",
            callback=named,
            help="A run id (such as r12), a thread id, or either end of it; or the path of a journal, or of another "
            "RAWR_HOME, which is only read. Default: your whole journal.",
            show_default=False,
            autocompletion=completing.names,
        ),
    ] = "",
    *,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Compare everything that follows from the facts: boundary events and kept states too. "
            "With --policy: exit with 1 if anything would change.",
        ),
    ] = False,
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            metavar="FILE",
            parser=a_path,
            help="Show what would have been decided instead, with these settings (as in config.toml) over the rules "
            "of the day.",
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            "--at",
            metavar="SEQ",
            min=1,
            help="Show the whole state after this fact, and compare nothing.",
        ),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Fold the recorded facts again, and compare every decision and effect with the recorded one.

    Nothing is written, no model is asked and Codex is not started; it works while rawr is running. Prints `N decisions,
    0 differ` and exits with 0. Otherwise it shows the first difference (both outcomes, the fact that led to them, the
    state before it) and exits with 1. Decisions made under earlier rules are counted as such, not called different.

    For example: rawr replay r12; rawr replay --verify /backup/journal.db; rawr replay r12 --at 340 --json. To try
    settings on what really happened: rawr replay --policy calmer.toml
    """
    from rawr.cli.commands import replay as command

    if at is not None and verify:
        raise UsageError("--at shows a state, --verify compares; give one of them.")
    raise typer.Exit(command.run(command.Wanted(name, verify=verify, policy=policy, at=at, json=json)))


Reported = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]",
        callback=named,
        help="A run id (such as r12), a thread id, or either end of it; or a session file of Codex's own (.jsonl). "
        "Default: the newest run.",
        show_default=False,
        autocompletion=completing.names,
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", parser=a_path, help="Write it as one HTML page; - means stdout."),
]


@app.command(short_help="Report on a run or a thread: what came of it, how it went, what it needs now.")
def report(
    name: Reported = "",
    *,
    html: Html = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print it as Markdown.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", parser=a_path, help="Write it to a file, as Markdown."),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Report on a run: goal and outcome, time and tokens, commits, checks, compactions, decisions, what waits for you.

    With --html, as one page for the browser that loads nothing: the context over time with its tiers, turns,
    boundaries and compactions; the plan; every decision with its reasons; approvals, checks, commits; and what each
    packet lacked. Only you can read the file.

    Everything comes from the journal. Only the size of each commit, and what is not committed, is read from the
    repository, without running anything in it.

    A session file of Codex's own (.jsonl) needs no journal: the report says how the session went, and where rawr would
    have compacted it under your settings (“with rawr”).

    --json prints one object: for a run, a “report” with the course of it under “timeline”; for a thread or a session
    file, the “timeline” itself.

    For example: rawr report r12; rawr report --html night.html; rawr report r12 --json
    """
    from rawr.cli.commands import report as command

    ways = (json, markdown or output is not None, html is not None)
    if sum(ways) > 1:
        raise UsageError("give --json, or --html, or --markdown and --output, not several of them.")
    raise typer.Exit(command.run(command.Wanted(name, markdown=markdown, output=output, html=html, json=json)))


Signature = Annotated[
    SignatureName | None,
    typer.Option(
        metavar="NAME", help="The kind of question to tune. Without it: show the labels on record and what was learned."
    ),
]
Model = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        callback=named,
        help="The model to score with: codex, codex:MODEL, ollama:MODEL or openai:MODEL. "
        "Default: the first of rawr_models.order that answers.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Save the result even if it is worse than before.")]
Reset = Annotated[bool, typer.Option("--reset", help="Remove what was learned.")]


@app.command(short_help="Improve what rawr asks models, using your labels.")
def tune(
    *,
    signature: Signature = None,
    model: Model = "",
    force: Force = False,
    reset: Reset = False,
    json: Json = False,
    codex_bin: CodexBin = None,
    codex_home: CodexHome = None,
    debug: Debug = False,
) -> None:
    """Learn from the model answers that you labelled good or bad (rawr log DECISION --label), or overrode.

    Good answers become examples that go with every question of that kind. To score them, rawr asks a model the labelled
    questions again, with and without the examples, 48 times at most. It saves the program in RAWR_HOME/tuned, with both
    scores, unless it is worse than before. Exits with 1 if there are too few labels or nothing was saved.
    """
    from rawr.cli.commands import tune as command
    from rawr.cli.commands.guiding import model_name
    from rawr.errors import OutsideError

    if signature is None:
        if reset or force or model:
            raise typer.BadParameter("--model, --force and --reset need --signature.")
        raise typer.Exit(command.overview(json=json))
    if reset:
        if force or model:
            raise typer.BadParameter("--reset cannot be combined with --model or --force.")
        raise typer.Exit(command.reset(signature, json=json))
    try:
        chosen = model_name(model) if model else ""
    except OutsideError as error:
        raise typer.BadParameter(str(error), param_hint="--model") from error
    wanted = command.Wanted(signature, chosen, force)
    raise typer.Exit(command.run(wanted, json=json, codex_bin=codex_bin, codex_home=codex_home))


def _rival(text: str) -> Path:
    """A file of settings, or a threshold of Codex's own, which no file is called."""
    from rawr.backtest.threshold import thresholds_named

    try:
        thresholds_named(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.") from error
    return a_path(text)


@app.command(short_help="Try a policy on your own Codex history.")
def backtest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]…",
            parser=a_path,
            help="Session files (rollout-….jsonl, also .zst), folders of them, or a Codex home. "
            "Default: your Codex home.",
            show_default=False,
        ),
    ] = None,
    *,
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            metavar="FILE",
            parser=a_path,
            help="Settings to try, written as in config.toml. Default: your own settings.",
        ),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against",
            metavar="FILE|native:PERCENT",
            parser=_rival,
            help="Other settings, or Codex's own threshold, to compare side by side; `native` for 50, 60, 70 and 80 "
            "percent. May be given several times.",
            show_default=False,
        ),
    ] = None,
    since: Annotated[
        str, typer.Option("--since", metavar="WHEN", help="Only sessions since then: 2w, 30d, or a date.")
    ] = "",
    sessions: Annotated[
        bool, typer.Option("--sessions", help="Also show each session in which something happened.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", parser=a_path, help="Write a page for a browser instead; - means stdout."
        ),
    ] = None,
    suggest: Annotated[
        bool,
        typer.Option(
            "--suggest", help="Search settings that would have served you better, and print them for config.toml."
        ),
    ] = False,
    seconds: Annotated[
        int,
        typer.Option(
            "--seconds",
            min=0,
            max=86_400,
            metavar="N",
            help="How long --suggest may search; 0: no limit.",
        ),
    ] = 180,
    workers: Annotated[
        int, typer.Option("--workers", min=0, max=256, metavar="N", help="Processes to use; 0 for one per core.")
    ] = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Try a policy on your own Codex history: when rawr would have compacted, and when Codex did.

    Reads the session files that Codex keeps, and lets rawr decide on them as if it had been there. Nothing is sent
    anywhere, nothing is changed, and no model is asked. What a compaction leaves in the context is an estimate.
    `--against native:70` tries what Codex does by itself with model_post_turn_compact_threshold_percent = 70. Choose by
    the cost of all requests.

    \b
    rawr backtest                                       your whole history
    rawr backtest --since 30d --sessions                session by session
    rawr backtest --policy eager.toml --against calm.toml
    rawr backtest --against native                      against Codex's own threshold
    rawr backtest --html backtest.html                  as a page, with the sessions that got fullest
    rawr backtest --suggest                             settings for your history

    --suggest searches on one half of your sessions and measures on the other. It prints settings only if they would
    have been better there too, and says what they trade for what.
    """
    from rawr.cli.commands import backtest as command
    from rawr.cli.commands.backtest_wanted import Wanted

    if suggest and (policy is not None or against or html is not None):
        raise UsageError("--suggest starts from your own settings: omit --policy, --against and --html.")
    if html is not None and (json or sessions):
        raise UsageError("--html writes a page instead: omit --json and --sessions.")
    wanted = Wanted(
        tuple(paths or ()),
        policy,
        tuple(against or ()),
        since,
        workers,
        sessions=sessions,
        html=html,
        suggest=seconds if suggest else None,
        json=json,
    )
    raise typer.Exit(command.run(wanted))
