"""What happens to the server's questions: answered by policy, put to a person with a deadline, or left to others.

On threads that another client drives, rawr watches and never answers: their user answers those questions.
"""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from rawr.core.draft import HostDraft, ThreadDraft
from rawr.core.events import RequestExpired
from rawr.core.flaws import directive_flaw
from rawr.core.requests import marking
from rawr.core.requests.tools import PHASE_COMPLETE, read_phase
from rawr.core.requests.wording import declined, fits, named, spoken, why_declined
from rawr.core.speech import line, say
from rawr.core.state import ledger
from rawr.core.state.messages import Queued
from rawr.core.state.thread import MAX_REQUESTS, OpenRequest
from rawr.core.text import head, tail
from rawr.core.thread import asking, delivery
from rawr.core.vocabulary.effects import AnswerRequest, JudgeApproval, Notify
from rawr.core.vocabulary.facts import (
    AnswerSubmitted,
    ApprovalJudged,
    ModelAnswered,
    OrderRefused,
    RequestReceived,
    RequestResolved,
)
from rawr.core.vocabulary.limits import confining
from rawr.core.vocabulary.opinions import ToolInput
from rawr.core.vocabulary.reasons import Reason
from rawr.core.vocabulary.records import Evidence
from rawr.core.vocabulary.requests import (
    Answer,
    CommandApproval,
    CredentialQuestion,
    Decider,
    Elicitation,
    FileChangeApproval,
    PermissionsApproval,
    Question,
    Refusal,
    Replies,
    TimeQuestion,
    TimeTold,
    ToolInvocation,
    ToolResult,
    UserInput,
    UserQuestion,
    Verdict,
)

DEADLINE = "request:"
LEAVES_READ_ONLY = "it changes files, and the thread was ordered to be read-only"
MAX_ASKED = 4_000


def received(draft: ThreadDraft, fact: RequestReceived) -> None:
    if _open(draft, fact.request) is not None:
        return
    crowded = len(draft.state.requests) >= MAX_REQUESTS
    if not crowded:
        leaves = "read-only" if _leaves_read_only(draft, fact.question) else ""
        opened = OpenRequest(fact.request, fact.question, draft.at, fact.turn, paths=_paths(draft, fact), leaves=leaves)
        draft.change(requests=(*draft.state.requests, opened))
    if not draft.state.ours:
        draft.note(Reason.REQUEST_LEFT_OTHERS, request=fact.request, asked=type(fact.question).__name__)
        return
    match fact.question:
        case TimeQuestion():
            _by_policy(draft, fact.request, TimeTold(seconds=draft.at // 1000))
        case CredentialQuestion(method=method):
            draft.note(Reason.REQUEST_REFUSED_UNABLE, request=fact.request, asked=method)
            _answer(
                draft,
                fact.request,
                Refusal(reason=say("rawr holds no credentials and cannot answer {method}", method=line(method))),
                "policy",
            )
        case ToolInvocation():
            _serve_tool(draft, fact, fact.question)
        case _ if crowded:
            draft.note(Reason.REQUEST_DECLINED_CROWDED, request=fact.request)
            _answer(draft, fact.request, declined(fact.question), "policy")
        case FileChangeApproval() if _by_rules(draft) and _leaves_read_only(draft, fact.question):
            _not_safe(draft, fact.request, (LEAVES_READ_ONLY,))
        case CommandApproval() | FileChangeApproval() if _by_rules(draft) and _can_be_judged(fact.question):
            _look(draft, fact)
        case UserInput(questions=questions) if _may_be_answered(draft, questions):
            _ask_model(draft, fact.request, questions)
        case CommandApproval() | FileChangeApproval() | PermissionsApproval() | UserInput() | Elicitation():
            _ask_person(draft, fact.request)
        case _ as never:
            assert_never(never)


def _can_be_judged(question: CommandApproval | FileChangeApproval) -> bool:
    """Return True if a yes would grant exactly what is visible, all of it, and nothing else."""
    if isinstance(question, FileChangeApproval):
        return not question.grant_root
    return not (question.network or question.beyond or question.cut)


def _leaves_read_only(draft: ThreadDraft, question: Question) -> bool:
    """Return True if a yes lets the agent out of a read-only sandbox. That takes a person, or proof that it reads."""
    asks = isinstance(question, CommandApproval | FileChangeApproval | PermissionsApproval)
    return asks and draft.state.limits is not None and draft.state.limits.read_only


def _paths(draft: ThreadDraft, fact: RequestReceived) -> tuple[str, ...]:
    """A file change's paths come with its item, not with the question."""
    turn = draft.state.turn
    if not isinstance(fact.question, FileChangeApproval) or turn is None:
        return ()
    return next((one.paths for one in turn.open_items if one.id == fact.item), ())


def _ask_person(draft: ThreadDraft, request: str) -> None:
    opened = _open(draft, request)
    assert opened is not None, "only asked about what is open"  # noqa: S101
    draft.note(Reason.REQUEST_WAITS_PERSON, request=request, seconds=draft.policy.limits.person)
    draft.set_deadline(DEADLINE + request, draft.policy.limits.person)
    leaves = f" A yes leaves {opened.leaves}." if opened.leaves else ""
    draft.do(Notify(level="info", text=f"{named(opened)} waits for your answer ({request}).{leaves}"))


def _by_rules(draft: ThreadDraft) -> bool:
    run = draft.state.run
    return run is not None and run.active and run.order.approvals == "policy"


def _allowed(draft: ThreadDraft) -> tuple[str, ...]:
    run = draft.state.run
    return run.order.allow if run is not None else ()


def _look(draft: ThreadDraft, fact: RequestReceived) -> None:
    """The core cannot tell whether it is safe: paths have to be resolved. The result comes back as a fact."""
    policy, question = draft.policy.full_auto, fact.question
    read_only = _leaves_read_only(draft, question)
    limits, told = draft.state.limits, draft.state.in_force
    command, cwd = "", draft.state.cwd
    if isinstance(question, CommandApproval):
        command, cwd = question.command, question.cwd or draft.state.cwd
    draft.do(
        JudgeApproval(
            request=fact.request,
            command=command,
            cwd=cwd,
            workspace=draft.state.cwd,
            paths=_paths(draft, fact),
            # A command that a user's rule allows may write; a denied command is denied everywhere.
            allow=() if read_only else (*policy.allow, *_allowed(draft)),
            deny=policy.deny,
            read_only=read_only,
            protect=policy.protect,
            not_secret=policy.not_secret,
            sandbox=confining(limits, told, workspace=draft.state.cwd),
            profile=told.profile if told is not None else "",
        )
    )
    # If the result never comes back, a person is still asked in the end.
    draft.set_deadline(DEADLINE + fact.request, draft.policy.limits.person)


def _may_be_answered(draft: ThreadDraft, questions: tuple[UserQuestion, ...]) -> bool:
    """Return True if a model answers in a run's place. Nobody may make up a secret."""
    run = draft.state.run
    wanted = run is not None and run.active and draft.policy.models.questions == "model"
    return wanted and not any(one.secret for one in questions) and not asking.in_flight(draft, "tool_input")


def _ask_model(draft: ThreadDraft, request: str, questions: tuple[UserQuestion, ...]) -> None:
    state = draft.state
    said = state.turn.agent_text if state.turn is not None else ""
    inputs = {
        "questions": msgspec.json.encode(questions).decode(),
        "goal": head(state.ledger.goal, MAX_ASKED),
        "directives": head("\n".join(f"- {one.text}" for one in state.ledger.directives if one.standing), MAX_ASKED),
        "last_message": tail(said or (state.last_turn.agent_text if state.last_turn is not None else ""), MAX_ASKED),
    }
    effect = asking.ask(draft, "tool_input", inputs)
    marked = tuple(replace(one, asked=effect) if one.request == request else one for one in state.requests)
    draft.change(requests=marked)


def opined(draft: ThreadDraft, fact: ModelAnswered) -> None:
    """Give a model's answer to the agent's question if it is confident and fits; otherwise ask a person (C11)."""
    opened = next((one for one in draft.state.requests if one.asked == fact.effect), None)
    if opened is None or opened.answer or not isinstance(opened.question, UserInput):
        draft.note(Reason.IGNORED_STALE_OPINION, question=fact.effect, signature=fact.signature)
        return
    opinion = fact.opinion
    least = draft.policy.models.min_confidence_percent
    replies = replies_of(opened.question, opinion) if isinstance(opinion, ToolInput) else None
    if isinstance(opinion, ToolInput) and replies is not None and opinion.confidence * 100 >= least:
        said = spoken(replies)
        draft.note(
            Reason.REQUEST_ANSWERED_MODEL,
            request=opened.request,
            answer=said,
            confidence=opinion.confidence,
            by="model",
            detail=head(opinion.reason, 500),
        )
        draft.change(ledger=ledger.add_decision(draft.state.ledger, named(opened), f"{said} (by a model)"))
        _answer(draft, opened.request, replies, "model")
        return
    confidence = opinion.confidence if isinstance(opinion, ToolInput) else None
    why = fact.problem or ("it does not fit the question" if replies is None else "it is not sure enough")
    draft.note(Reason.REQUEST_UNSURE_MODEL, request=opened.request, why=head(why, 500), confidence=confidence)
    _ask_person(draft, opened.request)


def replies_of(question: UserInput, opinion: ToolInput) -> Replies | None:
    """The answers by question, if there is exactly one for each: an option if there are any, and never an error."""
    given = {one.id: one.answer.strip() for one in opinion.answers}
    if len(given) != len(opinion.answers) or given.keys() != {one.id for one in question.questions}:
        return None
    for one in question.questions:
        labels = {option.label for option in one.options}
        # If there are options, a model must take one of them; only a person may use their own words.
        if (labels and given[one.id] not in labels) or directive_flaw(given[one.id]):
            return None
    return Replies(replies={name: (text,) for name, text in given.items()})


def judged(draft: ThreadDraft, fact: ApprovalJudged) -> None:
    opened = _open(draft, fact.request)
    if opened is None or opened.answer:
        draft.note(Reason.IGNORED_UNKNOWN_REQUEST, request=fact.request)
        return
    if fact.safe:
        reasons, what = list(fact.reasons), named(opened)
        draft.note(Reason.REQUEST_JUDGED_SAFE, request=fact.request, what=what, digest=fact.digest, reasons=reasons)
        _answer(draft, fact.request, Verdict(verdict="accept"), "policy")
    else:
        _not_safe(draft, fact.request, fact.reasons, digest=fact.digest)


def _not_safe(draft: ThreadDraft, request: str, reasons: tuple[str, ...], *, digest: str = "") -> None:
    """The rules do not say yes: decline it, if that was ordered, or ask a person."""
    opened, run = _open(draft, request), draft.state.run
    assert opened is not None, "only judged while it is open"  # noqa: S101
    what = named(opened)
    if run is not None and run.order.unsafe == "decline":
        draft.note(Reason.REQUEST_DECLINED_UNSAFE, request=request, what=what, digest=digest, reasons=list(reasons))
        _answer(draft, request, declined(opened.question), "policy")
        turn = draft.state.turn
        if turn is not None and turn.id:
            text = why_declined(what, reasons)
            delivery.send(draft, Queued.own(draft.seq, text, "continue"), steer=turn.id)
    else:
        draft.note(Reason.REQUEST_JUDGED_UNSAFE, request=request, what=what, digest=digest, reasons=list(reasons))
        doubted = replace(opened, doubts=reasons)
        draft.change(requests=tuple(doubted if one is opened else one for one in draft.state.requests))
        _ask_person(draft, request)


def submitted(draft: ThreadDraft, fact: AnswerSubmitted) -> None:
    opened = _open(draft, fact.request)
    if opened is None or opened.answer:
        draft.note(Reason.IGNORED_UNKNOWN_REQUEST, request=fact.request)
    elif not fits(opened.question, fact.answer):
        draft.note(Reason.IGNORED_WRONG_ANSWER, request=fact.request, answer=type(fact.answer).__name__)
    else:
        decision = spoken(fact.answer)
        receipt = _receipt(opened, fact, decision) if fact.who else {}
        draft.note(Reason.REQUEST_ANSWERED_PERSON, request=fact.request, answer=type(fact.answer).__name__, **receipt)
        if decision:
            draft.change(ledger=ledger.add_decision(draft.state.ledger, named(opened), decision))
        _answer(draft, fact.request, fact.answer, fact.by)


def _receipt(opened: OpenRequest, fact: AnswerSubmitted, decision: str) -> dict[str, Evidence]:
    """As for an answer by rule: what was decided, about exactly what; and by whom (C10, C17)."""
    came = {"by_way_of": fact.origin.in_words} if fact.origin is not None else {}
    return {"what": named(opened), "verdict": decision, "who": fact.who, "digest": fact.digest, **came}


def order_refused(draft: ThreadDraft | HostDraft, fact: OrderRefused) -> None:
    """The person hears of it: an agent that answers for them is not one to leave alone."""
    came = {"by_way_of": fact.origin.in_words} if fact.origin is not None else {}
    draft.note(Reason.ORDER_REFUSED_AGENT, order=fact.order, request=fact.request, why=fact.why, **came)
    tried = f"answer its own request {fact.request}" if fact.request else "give rawr an order that only you may give"
    draft.do(
        Notify(level="warning", text=f"The agent tried to {tried}. rawr refused: the command came from {fact.why}.")
    )


def resolved(draft: ThreadDraft, fact: RequestResolved) -> None:
    closed(draft, fact.request)


def closed(draft: ThreadDraft, request: str) -> None:
    """The question is settled, by us or by another client."""
    if _open(draft, request) is None:
        return
    draft.change(requests=tuple(one for one in draft.state.requests if one.request != request))
    draft.cancel_deadline(DEADLINE + request)


def effect_ended(draft: ThreadDraft, effect: str) -> bool:
    """The answer reached the server, or no longer can: either way the question is closed."""
    answered = [one for one in draft.state.requests if one.answer == effect]
    for opened in answered:
        closed(draft, opened.request)
    return bool(answered)


def deadline_passed(draft: ThreadDraft, request: str) -> None:
    opened = _open(draft, request)
    if opened is None or opened.answer:
        return
    draft.note(Reason.REQUEST_DECLINED_DEADLINE, request=request)
    draft.do(Notify(level="warning", text=f"Nobody answered in time: {named(opened)} was declined."))
    _answer(draft, request, declined(opened.question), "deadline")
    draft.emit(RequestExpired(named(opened)))


def connection_lost(draft: ThreadDraft) -> None:
    """Questions die with the connection; a server that comes back asks again under new ids."""
    for opened in draft.state.requests:
        closed(draft, opened.request)


def _serve_tool(draft: ThreadDraft, fact: RequestReceived, call: ToolInvocation) -> None:
    if call.tool != PHASE_COMPLETE:
        draft.note(Reason.REQUEST_REFUSED_UNABLE, request=fact.request, asked=call.tool)
        _answer(
            draft,
            fact.request,
            ToolResult(text=say("There is no tool {tool} here.", tool=line(call.tool)), success=False),
            "policy",
        )
        return
    phase = read_phase(call.arguments)
    if isinstance(phase, str):
        draft.note(Reason.PHASE_REFUSED_ARGUMENTS, request=fact.request, problem=phase)
        _answer(draft, fact.request, ToolResult(text=phase, success=False), "policy")
        return
    marking.mark(draft, phase, fact.turn)
    told = say("Recorded: {phase} is finished.", phase=line(phase.phase))
    _answer(draft, fact.request, ToolResult(text=told), "policy")


def _by_policy(draft: ThreadDraft, request: str, answer: Answer) -> None:
    draft.note(Reason.REQUEST_ANSWERED_POLICY, request=request, answer=type(answer).__name__)
    _answer(draft, request, answer, "policy")


def _answer(draft: ThreadDraft, request: str, answer: Answer, by: Decider) -> None:
    effect = draft.do(AnswerRequest(request=request, answer=answer, by=by))
    marked = tuple(replace(one, answer=effect) if one.request == request else one for one in draft.state.requests)
    draft.change(requests=marked)
    draft.cancel_deadline(DEADLINE + request)


def _open(draft: ThreadDraft, request: str) -> OpenRequest | None:
    return next((one for one in draft.state.requests if one.request == request), None)
