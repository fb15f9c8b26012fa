"""The states of a host, kept by a client: as they were at the beginning, and then every fact, folded by the same
kernel."""

from collections.abc import Callable

from rawr.core.kernel import Kernel, Taken
from rawr.core.state.thread import OpenRequest
from rawr.host import messages as m
from rawr.ports.surface import Delta, Surface


class Replica:
    def __init__(self) -> None:
        self.kernel = Kernel()
        self.asked: dict[str, tuple[OpenRequest, ...]] = {}
        """What a person must decide, by thread, as it really is."""
        self.surface: Surface | None = None
        self.past: Surface | None = None
        """Is shown what came before the subscription."""
        self.followers: list[Callable[[Taken], None]] = []
        self.readers: list[Callable[[Delta], None]] = []
        self._since = 0
        self._whole: dict[str, int] = {}
        """Up to which fact the state of a thread came whole, after the beginning."""

    def begin(self, subscribed: m.Subscribed) -> None:
        self.kernel.use(subscribed.policy)
        self.kernel.restore(subscribed.threads, subscribed.host)
        self._since = subscribed.seq

    def take(self, message: m.Happened | m.Past | m.Appeared | m.Noticed | m.Written | m.Waits) -> None:
        match message:
            case m.Happened(taken=taken):
                self._fold(taken)
                self._show(taken)
            case m.Past(taken=taken):
                if self.past is not None:
                    self.past.taken(taken)
            case m.Appeared(state=state, seq=seq):
                self.kernel.threads[state.id] = state
                self._whole[state.id] = seq
            case m.Noticed(thread=thread, level=level, text=text):
                if self.surface is not None:
                    self.surface.notify(thread, level, text)
            case m.Written(delta=delta):
                for reader in self.readers:
                    reader(delta)
            case m.Waits(thread=thread, requests=requests):
                self.asked[thread] = requests

    def _fold(self, taken: Taken) -> None:
        """What came whole is not folded again: a client can begin in the middle of a batch."""
        recorded = taken.recorded
        if recorded.seq > max(self._since, self._whole.get(recorded.thread, 0)):
            self.kernel.seq = recorded.seq - 1
            self.kernel.take(recorded.thread, recorded.fact, at=recorded.at)

    def _show(self, taken: Taken) -> None:
        if self.surface is not None:
            self.surface.taken(taken)
        for follower in self.followers:
            follower(taken)
