"""One decision: what it was, what it was made of, the guards, and what would have changed it."""

import asyncio
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from rawr.core.vocabulary.records import Decision
from rawr.errors import RawrError
from rawr.journal.reader import JournalReader
from rawr.tui.rendering.entries import flat
from rawr.tui.screens.dialog import Dialog
from rawr.views.decisions import Explanation, explanation
from rawr.views.numbers import clock_time, short
from rawr.views.otherwise import grounds_of
from rawr.views.visible import harmless


class DecisionScreen(Dialog[None]):
    title_words = "Decision"

    def __init__(self, decision: Decision, journal: Path) -> None:
        super().__init__()
        self._decision, self._journal = decision, journal

    def inside(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Content("\n").join(_about(self._decision)), markup=False)

    def on_mount(self) -> None:
        self._explain()

    @work
    async def _explain(self) -> None:
        explained = await asyncio.to_thread(_explained, self._journal, self._decision)
        lines = [*_about(self._decision), *(_more(explained) if explained is not None else ())]
        self.query_one(Static).update(Content("\n").join(lines))


def _title(text: str) -> Content:
    return Content.styled(f"\n{text}", "$primary bold")


def _about(decision: Decision) -> list[Content]:
    reason, grounds = decision.record.reason, grounds_of(decision)
    lines = [Content.styled(reason.meaning, "bold")]
    when = clock_time(decision.at, "%Y-%m-%d %H:%M:%S")
    lines.append(Content.styled(f"{reason.value} · {when} · policy {decision.policy[:8]}", "$muted"))
    if grounds.inputs:
        lines.append(_title("Inputs"))
        lines += [_named(name, value) for name, value in grounds.inputs]
    if grounds.guards:
        lines.append(_title("Guards and objections"))
        lines += [Content(f"  {harmless(one)}") for one in grounds.guards]
    if grounds.otherwise:
        lines.append(_title("What would have changed it"))
        lines += [Content(f"  {harmless(one)}") for one in grounds.otherwise]
    return lines


def _named(name: str, value: str) -> Content:
    return Content.assemble(Content.styled(f"  {name}: ", "$muted"), flat(value, 2_000))


def _more(explained: Explanation) -> list[Content]:
    lines: list[Content] = []
    if explained.exchange is not None:
        lines.append(_title("A model was asked"))
        lines += [Content(f"  {harmless(one)}") for one in explained.exchange.in_words(short)]
    if explained.effects:
        lines.append(_title("What followed"))
        lines += [
            Content(f"  {one.effect}: {one.state}{f', {flat(one.detail)}' if one.detail else ''}")
            for one in explained.effects
        ]
    if explained.decision.label:
        lines.append(_title(f"Labelled {explained.decision.label}"))
    lines.append(Content.styled(f"\nrawr explain {explained.decision.id}", "$muted"))
    return lines


def _explained(journal: Path, decision: Decision) -> Explanation | None:
    try:
        with JournalReader.open(journal) as reader:
            return explanation(reader, decision)
    except RawrError:
        return None
