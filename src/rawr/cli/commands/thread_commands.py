"""The commands about a running rawr's threads: compact one, hold that off, mark phases, pin directives."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from rawr.cli.options import Debug, Json, UsageError, named

if TYPE_CHECKING:
    from rawr.runtime.control import Command

app = typer.Typer()

Thread = Annotated[
    str,
    typer.Argument(
        metavar="[THREAD]", callback=named, help="A thread id, or its last characters. Default: the newest."
    ),
]
First = Annotated[
    str,
    typer.Argument(
        metavar="[THREAD]", callback=named, help="A thread id, or its last characters. Default: the newest."
    ),
]


@app.command(short_help="Compact a watched thread now, on the golden path.")
def compact(thread: Thread = "", *, json: Json = False, debug: Debug = False) -> None:
    """Compact a thread now: heads-up, packet, compaction, handoff. The running rawr does it."""
    from rawr.cli.commands import control
    from rawr.core.vocabulary.facts import CompactionSubmitted

    raise typer.Exit(control.run(CompactionSubmitted(), thread=thread, json=json))


@app.command(short_help="Ask rawr not to compact for now.")
def hold(
    thread: Thread = "",
    *,
    until: Annotated[
        str,
        typer.Option("--until", metavar="TEXT", callback=named, help="When the hold should end, in your own words."),
    ] = "",
    turns: Annotated[
        int | None, typer.Option("--turns", metavar="N", min=1, max=1000, help="Hold for N turns of work.")
    ] = None,
    release: Annotated[bool, typer.Option("--release", help="Lift all holds.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Do not compact a thread until the hold is released or N turns have passed, except in an emergency."""
    from rawr.cli.commands import control
    from rawr.core.vocabulary.facts import HoldReleased, HoldSubmitted

    if release and (until or turns is not None):
        raise UsageError("--release lifts all holds; it cannot be combined with --until or --turns.")
    fact = HoldReleased() if release else HoldSubmitted(until=until or "released", turns=turns)
    raise typer.Exit(control.run(fact, thread=thread, json=json))


class _ThreadFirst(TyperCommand):
    """``[THREAD] WHAT``: one word is what, two are a thread and what. Typer knows only the opposite order."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [one.metavar or "" for one in self.params if one.param_type_name == "argument"]
        return [self.options_metavar or "", *arguments]


def _add_word(name: str, fact: "Callable[[str], Command]", *, what: str, meant: str, short: str, whole: str) -> None:
    """A command that says one thing, ``what``, about a thread."""

    @app.command(name, cls=_ThreadFirst, short_help=short, help=whole)
    def word(
        first: First = "",
        second: Annotated[str, typer.Argument(metavar=what, callback=named, help=meant, show_default=False)] = "",
        *,
        json: Json = False,
        debug: Debug = False,
    ) -> None:
        from rawr.cli.commands import control

        if not first:
            raise UsageError(f"Missing argument '{what}'.")
        thread, text = (first, second) if second else ("", first)
        raise typer.Exit(control.run(fact(text), thread=thread, json=json))


def _pin(text: str) -> "Command":
    from rawr.core.vocabulary.facts import PinSubmitted

    return PinSubmitted(text=text)


def _unpin(text: str) -> "Command":
    from rawr.core.vocabulary.facts import PinRemoved

    return PinRemoved(text=text)


Mode = Literal["research", "implement", "test", "release"]


@app.command(cls=_ThreadFirst, short_help="Mark the end of a phase, or say what kind of work comes now.")
def phase(
    first: First = "",
    second: Annotated[
        str, typer.Argument(metavar="[NAME]", callback=named, help="The phase that is over.", show_default=False)
    ] = "",
    *,
    mode: Annotated[
        Mode | None,
        typer.Option(
            metavar="KIND",
            help="The kind of work from now on: research, implement, test or release. With it, NAME is not needed.",
            show_default=False,
        ),
    ] = None,
    thread: Annotated[
        str, typer.Option(metavar="THREAD", callback=named, help="The thread, where no NAME is given.")
    ] = "",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Mark the end of a phase: an explicit boundary, the strongest there is.

    With --mode, also say what kind of work comes now. The agent reads it in the next handoff.
    """
    from rawr.cli.commands import control
    from rawr.core.vocabulary.facts import PhaseSubmitted

    if not first and mode is None:
        raise UsageError("Missing argument 'NAME'. Name the phase that is over, or give --mode.")
    whose, text = (first, second) if second else (thread, first)
    raise typer.Exit(control.run(PhaseSubmitted(phase=text, mode=mode or ""), thread=whose, json=json))


_add_word(
    "pin",
    _pin,
    what="TEXT",
    meant="The directive.",
    short="Pin a directive: every handoff repeats it word for word.",
    whole="Give the agent a standing directive that survives every compaction, word for word.",
)
_add_word(
    "unpin",
    _unpin,
    what="TEXT",
    meant="How the directive begins.",
    short="Unpin a directive.",
    whole="Unpin the directives that begin with this text.",
)
