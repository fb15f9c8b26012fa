"""The same with commands that the server reports or not, and with a session file that has them all (C2, D5).

Reads come back late, fail, or are lost with rawr; reports are doubled, lost on the wire, or come after the read. Each
command counts once, and none is missing at the end unless a read failed or rawr
left the thread alone.
"""

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from msgspec.structs import replace

from rawr.core.vocabulary import effects, facts, items
from rawr.core.vocabulary.effects import Intended
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.session import Found, SessionMark
from tests.core.app_server import THREAD
from tests.core.supervised import OnTheGoldenPath

PATH = "/codex/sessions/r.jsonl"


class Reading(OnTheGoldenPath):
    def __init__(self) -> None:
        super().__init__()
        self.file: list[tuple[str, str]] = []
        """The turn and the id of every command, as Codex writes them down."""
        self.reads: dict[str, effects.ReadSession] = {}
        self.failed = False
        """A read failed, so something may be missing."""

    def tell(self, fact: facts.AnyFact, *, thread: str = THREAD) -> None:
        if isinstance(fact, facts.ThreadOpened | facts.ThreadJoined):
            fact = replace(fact, session_file=PATH)
        super().tell(fact, thread=thread)

    def _take_effect(self, intended: Intended) -> None:
        super()._take_effect(intended)
        if isinstance(intended.effect, effects.ReadSession):
            assert not self.reads, "one read at a time"
            self.reads[intended.id] = intended.effect

    @precondition(lambda self: self.server.turn is not None and not self.server.turn.compaction)
    @rule(reported=st.booleans())
    def run_command(self, reported: bool) -> None:
        assert self.server.turn is not None
        turn, call = self.server.turn.id, f"call-{len(self.file)}"
        self.file.append((turn, call))
        if reported:
            self.server._send(facts.ItemCompleted(turn=turn, item=_command(call)))

    @precondition(lambda self: self.server.turn is None)
    @rule(reported=st.lists(st.booleans(), min_size=1, max_size=3), heard=st.integers(0, 5))
    def whole_turn(self, reported: list[bool], heard: int) -> None:
        """Somebody's turn, of which so many events are heard at once. By its parts alone it is rare."""
        self.server.other_client_speaks()
        for one in reported:
            self.run_command(one)
        self.end_turn("completed")
        for _ in range(min(heard, len(self.server.wire)) if self.up else 0):
            self.hear_event()

    @precondition(lambda self: self.reads)
    @rule(late=st.sampled_from([False, False, False, True]))
    def read(self, late: bool = False) -> None:
        """With ``late``, what was found is reported after all."""
        name, effect = self.reads.popitem()
        start = effect.mark.offset if effect.mark is not None else 0
        found = [(turn, call) for turn, call in self.file[start:] if call not in effect.told]
        for turn, call in found:
            self.tell(facts.ItemCompleted(turn=turn, item=_command(call), found=Found()))
        ended = effect.over and (self.server.turn is None or self.server.turn.id != effect.turn)
        mark = SessionMark(len(self.file), "c")
        self.tell(facts.SessionRead(effect=name, mark=mark, found=len(found), ended=ended))
        self.tell(facts.EffectSucceeded(effect=name))
        for turn, call in found if late else ():
            self.tell(facts.ItemCompleted(turn=turn, item=_command(call)))

    @precondition(lambda self: self.reads)
    @rule()
    def read_in_vain(self) -> None:
        name, _ = self.reads.popitem()
        self.failed = True
        self._fail(name, "timed_out")

    @rule(crash=st.booleans(), forget=st.booleans())
    def restart(self, crash: bool, forget: bool = False) -> None:
        lost = list(self.reads)
        self.reads.clear()
        super().restart(crash, forget)
        for name in lost:
            self._fail(name, "lost")

    @invariant()
    def each_call_counts_once(self) -> None:
        found = [call for call, source in self._counted() if source]
        reported = {call for call, source in self._counted() if not source}
        assert len(found) == len(set(found)), found
        assert not reported & set(found)

    def _counted(self) -> list[tuple[str, bool]]:
        """Which commands made a difference, and if they are from the file."""
        counted: list[tuple[str, bool]] = []
        for taken in self.taken:
            fact = taken.recorded.fact
            known = any(one.record.reason is Reason.IGNORED_KNOWN_CALL for one in taken.decisions)
            if isinstance(fact, facts.ItemCompleted) and isinstance(fact.item, items.Command) and not known:
                counted.append((fact.item.id, fact.found is not None))
        return counted

    def _next_step(self) -> Callable[[], object] | None:
        return self.read if self.reads else super()._next_step()

    def teardown(self) -> None:
        super().teardown()
        if self.sound and not self.failed and self.state.online:
            assert {call for _, call in self.file} == {call for call, _ in self._counted()}
            assert not self.state.reading


def _command(call: str) -> items.Command:
    return items.Command(id=call, command="make", cwd="/project", status="failed", exit_code=1)
