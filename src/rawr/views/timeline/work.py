"""What was done and decided beside the context: requests, checks, commits, files, packets."""

from collections import Counter

from rawr.core.text import head, tail
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.items import Change
from rawr.core.vocabulary.records import Record
from rawr.core.vocabulary.requests import Question, UserInput
from rawr.views import events as e
from rawr.views.outcomes import packet_found
from rawr.views.questions import describe
from rawr.views.timeline.shapes import CheckPoint, CommitPoint, FileTouched, PacketPoint, RequestPoint
from rawr.views.timeline.thinning import Bounded, Newest, Thinned, notable

MOST = 300
MOST_OPEN = 256
TEXT, OUTPUT, GROUNDS = 300, 600, 6


class Work:
    def __init__(self) -> None:
        self.requests: Thinned[RequestPoint] = Thinned(MOST, notable(lambda one: one.by != "rule"))
        self.checks: Thinned[CheckPoint] = Thinned(MOST, notable(lambda one: not one.passed))
        self.packets: Thinned[PacketPoint] = Thinned(MOST, notable(lambda one: len(one.found)))
        self.commits: Newest[CommitPoint] = Newest(MOST)
        self.files: Newest[FileTouched] = Newest(MOST)
        self.tallies: Counter[str] = Counter()
        self._asked: dict[str, Question] = {}
        self._grounds: dict[str, tuple[str, ...]] = {}
        self._took: int | None = None

    @property
    def lists(self) -> dict[str, Bounded]:
        return {
            "requests": self.requests,
            "checks": self.checks,
            "packets": self.packets,
            "commits": self.commits,
            "files": self.files,
        }

    # -- facts and decisions -----------------------------------------------------------------------------------------

    def take(self, fact: facts.AnyFact, at: int, turn: int) -> None:
        match fact:
            case facts.CommandObserved(commits=commits, root=root):
                for one in commits:
                    self.commits.drop(one.amends)
                    self.commits.add(one.sha, CommitPoint(at, turn, one.sha, head(one.subject, TEXT), root))
            case facts.TreeSeen(changes=changes, shared=False):
                self._touched(changes)
            case facts.DoneChecked(duration_ms=took):
                self._took = took
            case facts.ApprovalJudged(request=request, reasons=reasons):
                self._grounds[request] = tuple(head(one, TEXT) for one in reasons[:GROUNDS])
            case _:
                pass

    def decided(self, record: Record, at: int, turn: int) -> None:
        checked = packet_found(record)
        if checked is not None:
            came_to, found = checked
            self.packets.add(PacketPoint(at, turn, came_to, tuple(head(one, TEXT) for one in found)))

    # -- events ------------------------------------------------------------------------------------------------------

    def told(self, event: e.AnyEvent, turn: int) -> None:
        match event:
            case e.RequestAsked(request=request, question=question):
                self._asked[request] = question
                if len(self._asked) > MOST_OPEN:
                    del self._asked[next(iter(self._asked))]
            case e.RunChecked(passed=passed, exit_code=code, timed_out=late, output=output):
                said = tail(output.strip(), OUTPUT)
                self.checks.add(CheckPoint(event.at, turn, passed, code, late, said, self._took))
                self._took = None
            case e.FilesChanged(changes=changes, status="completed"):
                self._touched(changes)
            case e.RequestEvent():
                self._settled(event, turn)
            case _:
                pass

    def _settled(self, event: e.RequestEvent, turn: int) -> None:
        match event:
            case e.RequestApproved():
                self._answered(event, turn, verdict="approved", by="rule")
            case e.RequestAnswered(by="policy") if event.request not in self._asked:
                pass  # It was told already, as approved by a rule.
            case e.RequestAnswered(by=by, words=words, secret=secret, came=came):
                verdict = "(hidden)" if secret else _VERDICTS.get(words, words) or "answered"
                self._answered(event, turn, verdict=verdict, by=by, came=came)
            case e.RequestDeclined(by=by):
                self._answered(event, turn, verdict="declined", by="rule" if by == "rules" else by)
            case _:
                pass

    def _answered(self, event: e.RequestEvent, turn: int, *, verdict: str, by: str, came: str = "") -> None:
        question = self._asked.pop(event.request, None)
        asked = describe(question) if question is not None else f"request {event.request}"
        approval = question is not None and not isinstance(question, UserInput)
        grounds = self._grounds.pop(event.request, ())
        point = RequestPoint(event.at, turn, head(asked, TEXT), head(verdict, TEXT), by, approval, grounds, came)
        self.requests.add(point)
        what = verdict if verdict == "declined" else "approved" if approval else "answered"
        self.tallies[f"{what} by {by}"] += 1

    def _touched(self, changes: tuple[Change, ...]) -> None:
        for one in changes:
            path = one.moved_to or one.path
            known = self.files.get(path)
            # A file that was added and then changed is still a new one.
            kind = "add" if known is not None and known.kind == "add" and one.kind == "update" else one.kind
            self.files.add(path, FileTouched(head(path, TEXT), kind))


_VERDICTS = {"accept": "approved", "decline": "declined", "cancel": "declined"}
