"""What the repository says: commits, branches and pull requests as signals and as record (B6)."""

from msgspec.structs import replace

from rawr.core.draft import ThreadDraft
from rawr.core.state import ledger, since
from rawr.core.state.ledger import Commit
from rawr.core.state.thread import MAX_OBSERVING, Repo
from rawr.core.state.turn import WORK, TurnOutcome
from rawr.core.vocabulary.boundaries import EventKind
from rawr.core.vocabulary.effects import Notify, ObserveCommand, ObserveTree, WatchRepository
from rawr.core.vocabulary.facts import CommandObserved, TreeSeen, TurnStarted
from rawr.core.vocabulary.items import Command, ToolCall
from rawr.core.vocabulary.payloads import BranchNamed, CommitMade, PullRequest, PullRequests, StackNow
from rawr.core.vocabulary.reasons import Reason

_PULL_REQUEST: dict[str, EventKind] = {"pr_create": "pr_opened", "pr_merge": "pr_merged"}


FRESH = 2_000
"""Milliseconds after which a tree is looked at again before a turn: a person may have changed something meanwhile."""


TOO_LARGE = (
    "[rawr] this folder is too large to look at all of its files: rawr cannot tell if a turn changed anything, and "
    "does not stop a run for it."
)


def watch(draft: ThreadDraft, *, began: int = 0) -> None:
    """Watch from when we first see the thread: earlier changes are not news, except those of a turn that rawr did not
    see all of, which ``began`` then."""
    state = draft.state
    if draft.policy.watch_repositories and state.cwd and state.online:
        files = draft.policy.watch_files
        draft.do(WatchRepository(cwd=state.cwd, turn=files and state.turn is not None, files=files, since=began))


def turn_began(draft: ThreadDraft, _fact: TurnStarted) -> None:
    """From here on, what changes is the turn's."""
    state = draft.state
    if draft.policy.watch_files and draft.policy.watch_repositories and state.wanted and state.cwd:
        if state.tree_owed:
            owed_look(draft, begun=True)
            return
        checked = state.run is not None and state.run.checked_at >= state.tree_at
        draft.do(WatchRepository(cwd=state.cwd, turn=True, files=checked or draft.at - state.tree_at > FRESH))


def command_ended(draft: ThreadDraft, item: Command, turn: str) -> None:
    """Look at the repository after a command that may have changed something, but not after one that only reads."""
    if not draft.policy.watch_repositories or not draft.state.wanted:
        return
    if item.reads_only or item.status == "declined":
        return
    effect = draft.do(
        ObserveCommand(
            turn=turn,
            item=item.id,
            command=item.command,
            cwd=item.cwd or draft.state.cwd,
            exit_code=item.exit_code,
            output=item.output_tail,
            took_ms=item.duration_ms or None,
        )
    )
    draft.change(observing=(*draft.state.observing, effect)[-MAX_OBSERVING:])


def tool_ended(draft: ThreadDraft, item: ToolCall, turn: str) -> None:
    """An MCP server may commit, too. Only one whose tool says so is looked after."""
    name = f"{item.server} {item.tool}"
    if not item.server or "commit" not in name.casefold():
        return
    if not draft.policy.watch_repositories or not draft.state.wanted or item.status == "declined":
        return
    code = 0 if item.status == "completed" and item.success is not False else 1
    look = ObserveCommand(
        turn=turn, item=item.id, command="", cwd=draft.state.cwd, exit_code=code, output="", tool=name
    )
    effect = draft.do(look)
    draft.change(observing=(*draft.state.observing, effect)[-MAX_OBSERVING:])


def looks_at_tree(draft: ThreadDraft, turn: TurnOutcome, *, matters: bool) -> None:
    """Look at the working tree after a turn, once. If that may change what is decided about it (``matters``), a turn of
    work that did something is judged when the look is back; otherwise nobody waits for it."""
    state, run = draft.state, draft.state.run
    all_of_it = draft.policy.watch_files and draft.policy.watch_repositories and state.wanted
    by_order = run is not None and run.active and run.order.tree
    if not state.cwd or state.tree_turn == turn.id or not (all_of_it or by_order):
        return
    acted = bool(turn.commands or turn.files or turn.tools)
    waits = acted and not turn.synthetic and state.sequence is None
    if not waits and not all_of_it:
        return
    draft.change(tree_turn=turn.id)
    if waits and not matters and all_of_it:
        # A run goes on at once: the look would be in its way.
        draft.change(tree_owed=turn.id)
        return
    effect = draft.do(ObserveTree(turn=turn.id, cwd=state.cwd, commits=all_of_it, files=acted))
    if waits:
        draft.change(observing=(*draft.state.observing, effect)[-MAX_OBSERVING:])


def owed_look(draft: ThreadDraft, *, begun: bool = False) -> None:
    """Look at the tree after a turn now, if that was put off. ``begun``: the next one has begun."""
    owed = draft.state.tree_owed
    if owed:
        draft.change(tree_owed="")
        draft.do(ObserveTree(turn=owed, cwd=draft.state.cwd, commits=True, begun=begun))


def tree_seen(draft: ThreadDraft, fact: TreeSeen) -> None:
    """Files are on record however they were written."""
    # Of a tree that is too large nobody can say that nothing changed in it.
    digest = f"{fact.digest} {fact.turn}" if fact.cut else fact.digest
    if fact.cut and not draft.state.tree_cut:
        draft.change(tree_cut=True)
        draft.do(Notify(level="warning", text=TOO_LARGE))
    draft.change(tree=digest, tree_at=draft.at)
    if fact.changes:
        kept = ledger.add_found(draft.state.ledger, fact.changes, shared=fact.shared, more=fact.more)
        names = (one.moved_to or one.path for one in fact.changes)
        draft.change(ledger=kept, since=since.add_files(draft.state.since, names))
        last = draft.state.last_turn
        if last is not None and last.id == fact.turn and not fact.shared:
            draft.change(last_turn=replace(last, changed_tree=True))


def effect_ended(draft: ThreadDraft, effect: str) -> bool:
    """A look is back, or failed. The caller decides if the turn may be judged now."""
    if effect not in draft.state.observing:
        return False
    draft.change(observing=tuple(one for one in draft.state.observing if one != effect))
    return True


def observed(draft: ThreadDraft, fact: CommandObserved) -> None:
    if fact.root:
        before = draft.state.repo
        draft.change(repo=Repo(fact.root, fact.branch, fact.head, fact.stack))
        if fact.stack and before is not None and before.root == fact.root and before.stack != fact.stack:
            draft.signal("stack_changed", StackNow(fact.stack), source="repository", turn=fact.turn, gates=False)
    running = draft.state.turn or draft.state.last_turn
    gates = running is None or running.purpose in WORK
    kept = draft.state.ledger
    for commit in fact.rewritten:
        kept = ledger.rename_commit(kept, Commit(commit.sha, commit.subject), before=commit.amends)
    for commit in fact.commits:
        kept = ledger.add_commit(kept, Commit(commit.sha, commit.subject, fact.branch), amends=commit.amends)
        made = CommitMade(commit.sha, commit.subject, fact.branch, commit.amends)
        draft.signal("commit", made, source="repository", turn=fact.turn, gates=gates)
    if fact.pull_request:
        kept = ledger.add_pull(kept, fact.pull_request, fact.url or "")
    draft.change(ledger=kept)
    for branch in fact.created:
        draft.signal("branch_created", BranchNamed(branch), source="repository", turn=fact.turn, gates=False)
    for branch in fact.switched_to:
        draft.signal("branch_switched", BranchNamed(branch), source="repository", turn=fact.turn, gates=False)
    for done in fact.pull_request:
        kind = _PULL_REQUEST.get(done, "pr_updated")
        draft.signal(kind, PullRequest(done, fact.url), source="repository", turn=fact.turn, gates=False)
    if fact.pull_request:
        all_of_it = PullRequests(fact.pull_request, fact.url)
        draft.signal("pr_checkpoint", all_of_it, source="repository", turn=fact.turn, gates=gates)
    if not fact.agreed:
        draft.note(Reason.COMMIT_DOUBTED_SOURCES, item=fact.item, why=fact.why, commits=len(fact.commits))
