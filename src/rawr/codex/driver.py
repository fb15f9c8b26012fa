"""Turns effects into calls: does what the executor asks of Codex, through the client. No policy lives here."""

import asyncio
import contextlib
import itertools
from pathlib import Path

import msgspec
from msgspec import UNSET, Raw, Struct
from msgspec.structs import replace

from rawr.codex import limits as wire_limits
from rawr.codex import session_reading
from rawr.codex.client import CallLost, CallNotSent, CallRefused, CallTimedOut, CodexClient
from rawr.codex.history import items
from rawr.codex.native import Asked
from rawr.codex.rpc import UNREADABLE
from rawr.codex.session_file import compacted_turns, turn_with_unshown
from rawr.codex.wire import methods
from rawr.codex.wire.items import (
    AgentMessageItem,
    ContextCompactionItem,
    TextInput,
    UserMessageItem,
    WireTurn,
    decode_item,
    text_of,
)
from rawr.core.real import Real
from rawr.core.requests.tools import OUR_TOOLS
from rawr.core.text import head
from rawr.core.vocabulary import effects, facts
from rawr.core.vocabulary.bounds import MAX_MESSAGE
from rawr.core.vocabulary.items import UserMessage
from rawr.core.vocabulary.limits import Limits, wider
from rawr.core.vocabulary.native import Native
from rawr.errors import CodexError
from rawr.ports.harness import Done, HarnessEffect, Told, Undone

Input = TextInput | Raw
"""A part of a message: rawr's own words, or a part of a user's, as it came."""

COMPACTION_DEADLINE = 60.0
MAX_MESSAGES = 40
MAX_FEATURES = 1_000
FEATURES_DEADLINE = 5.0
MAX_THREADS = 200
NEWEST_TURNS = 50
HISTORY_PAGES = 5
"""How far back to look for a message of ours: rawr sent it moments before the connection went down."""


class CodexDriver:
    def __init__(self, client: CodexClient) -> None:
        self._client = client

    async def carry_out(self, name: str, thread: str, real: Real[HarnessEffect]) -> Done | Undone:
        """Carry out one effect. Failures on the other side come back as ``Undone``."""
        effect = real.thing
        if isinstance(effect, effects.StartCompaction) and self._client.runs(thread):
            # It would end that turn. The core knows of it in a moment.
            return Undone("A turn has just begun.", "moot")
        try:
            return await self._do(name, thread, effect)
        except CallNotSent as error:
            moot = isinstance(effect, effects.AnswerRequest | effects.InterruptTurn)
            return Undone(error.message, "moot" if moot else "unsent")
        except CallRefused as error:
            return Undone(_with_way_out(error.server_message), _why(effect, error.server_message))
        except CallLost as error:
            return Undone(error.message, "lost")
        except CallTimedOut as error:
            return Undone(error.message, "timed_out")
        except CodexError as error:
            return Undone(error.message, "refused")
        except UNREADABLE as error:
            return Undone(f"The answer does not have the shape rawr expects: {error}", "refused")

    async def _do(self, name: str, thread: str, effect: HarnessEffect) -> Done:  # noqa: C901 - one table
        call = self._client.call
        match effect:
            case effects.StartThread():
                return await self._start_thread(effect)
            case effects.ListThreads():
                return await self._list_threads()
            case effects.LookAtThread():
                return Done(thread, (await self._read_thread(thread),))
            case effects.ResumeThread():
                return await self._resume_thread(thread, effect)
            case effects.FindMessage():
                return await self._find_message(thread, effect)
            case effects.FindSaid(turn=turn):
                return await self._find_said(thread, turn)
            case effects.StartTurn(limits=limits):
                start = _turn_start(thread, await self._input(thread, effect), name=name, limits=limits)
                return Done((await call(methods.TURN_START, start)).turn.id)
            case effects.SteerTurn(turn=turn):
                steer = methods.TurnSteer(
                    thread_id=thread,
                    expected_turn_id=turn,
                    input=await self._input(thread, effect),
                    client_user_message_id=name,
                )
                return Done((await call(methods.TURN_STEER, steer)).turn_id)
            case effects.InterruptTurn(turn=turn):
                await call(methods.TURN_INTERRUPT, methods.TurnInterrupt(thread_id=thread, turn_id=turn))
                return Done()
            case effects.RestartCodex():
                return Done(await self._client.restart())
            case effects.InjectPacket(text=text, heads_up=heads_up):
                inject = methods.InjectItems(thread_id=thread, items=_history_items(text, heads_up))
                await call(methods.THREAD_INJECT_ITEMS, inject)
                return Done()
            case effects.StartCompaction():
                compact = methods.ThreadOnly(thread_id=thread)
                await call(methods.THREAD_COMPACT_START, compact, deadline=COMPACTION_DEADLINE)
                return Done()
            case effects.StartReview():
                review = methods.ReviewStart(thread_id=thread, target={"type": "uncommittedChanges"})
                return Done((await call(methods.REVIEW_START, review)).turn.id)
            case effects.NameThread(name=name):
                await call(methods.THREAD_NAME_SET, methods.ThreadName(thread_id=thread, name=name))
                return Done()
            case effects.ClearGoal():
                await call(methods.GOAL_CLEAR, methods.ThreadOnly(thread_id=thread))
                return Done()
            case effects.AnswerRequest(request=request, answer=answer):
                await self._client.answer(request, answer)
                return Done()
            case effects.ReadSession():
                return await session_reading.read(name, thread, effect)

    async def _start_thread(self, effect: effects.StartThread) -> Done:
        tools = [
            methods.DynamicTool(name=tool.name, description=tool.description, input_schema=tool.schema)
            for tool in OUR_TOOLS
        ]
        limits = effect.limits
        asked = await self._client.own_compaction(effect.cwd)
        given = await self._client.call(
            methods.THREAD_START,
            methods.ThreadStart(
                cwd=effect.cwd,
                model=limits.model or UNSET,
                approval_policy=wire_limits.approval_policy(limits),
                approvals_reviewer=limits.reviewer or UNSET,
                sandbox=wire_limits.mode(limits),
                permissions=limits.profile or UNSET,
                ephemeral=effect.ephemeral or UNSET,
                config=wire_limits.config(limits, knows_threshold=asked.knows),
                developer_instructions=effect.instructions or UNSET,
                dynamic_tools=tools,
            ),
        )
        opened = facts.ThreadOpened(
            cwd=given.cwd,
            model=given.model,
            ephemeral=given.thread.ephemeral,
            ours=True,
            server=self._client.server,
            token_budget=await self._has_token_budget(given.thread.id),
            limits=limits,
            in_force=wire_limits.given(given),
            session_file=given.thread.path or "",
            session_id=given.thread.session_id or "",
            shared=not self._client.owns_server,
            native=_left(asked.native, limits),
        )
        told: tuple[Told, ...] = ((given.thread.id, opened),)
        if effect.carried is not None:
            told = (*told, (given.thread.id, effect.carried))
        return Done(given.thread.id, told)

    async def _list_threads(self) -> Done:
        """The server's live threads, each with what Codex knows of it.

        Codex cannot read a thread that has no history yet; its first turn will report it.
        """
        loaded = await self._client.call(methods.THREAD_LOADED_LIST, methods.Page(limit=MAX_THREADS))
        told: list[Told] = []
        for thread in loaded.data:
            with contextlib.suppress(CallRefused):
                told.append(await self._read_thread(thread))
        return Done(" ".join(loaded.data), tuple(told))

    async def _read_thread(self, thread: str) -> Told:
        found = await self._client.call(methods.THREAD_READ, methods.ThreadRead(thread_id=thread))
        opened = facts.ThreadOpened(
            cwd=found.thread.cwd,
            model=found.thread.model or "",
            ephemeral=found.thread.ephemeral,
            parent=found.thread.parent_thread_id or "",
            session_id=found.thread.session_id or "",
        )
        return thread, opened

    async def _resume_thread(self, thread: str, effect: effects.ResumeThread) -> Done:
        limits = effect.limits
        # A server that has the thread open may still be doing what rawr asked before it lost the connection.
        fresh = self._client.owns_server or not await self._is_open(thread)
        if effect.take_goal:
            with contextlib.suppress(CallRefused):
                await self._client.call(methods.GOAL_CLEAR, methods.ThreadOnly(thread_id=thread))
        asked = await self._client.own_compaction(limits.cwd) if limits is not None else None
        given = await self._resumed(thread, limits, asked)
        if limits is not None and wider(limits, wire_limits.given(given)):
            # A thread that another client has open keeps its settings through a resume (measured).
            await self._set_limits(thread, limits)
            given = await self._resumed(thread, limits, asked)
        asked = asked or await self._client.own_compaction(given.cwd)
        last = await self._newest_turn(thread)
        status = msgspec.json.decode(given.thread.status, type=_Status).type
        joined = facts.ThreadJoined(
            cwd=given.cwd,
            model=given.model,
            ephemeral=given.thread.ephemeral,
            idle=status != "active",
            last_turn=last.id if last is not None else "",
            last_status=last.status if last is not None else "",
            fresh=fresh,
            server=self._client.server,
            missed=await self._missed(given.thread, effect) if effect.since or effect.unseen or effect.whole else (),
            last_said=_last_said(last) if last is not None else "",
            messages=await self._messages(thread) if effect.history else (),
            token_budget=await self._has_token_budget(thread),
            in_force=wire_limits.given(given),
            session_file=given.thread.path or "",
            session_id=given.thread.session_id or "",
            shared=not self._client.owns_server,
            # One that another client has open keeps its settings through a resume (measured).
            native=_left(asked.native, limits if fresh else None),
        )
        return Done(thread, ((thread, joined),))

    async def _missed(self, thread: methods.WireThread, effect: effects.ResumeThread) -> tuple[facts.MissedTurn, ...]:
        """The turns after the last one that rawr saw to its end.

        Look for compactions in two places: a Codex that died may have written only one of them.
        """
        newer = list(itertools.takewhile(lambda turn: turn.id != effect.since, await self._turns(thread.id)))
        if effect.unseen:
            ids = [turn.id for turn in newer]
            newer = newer[: ids.index(effect.unseen) + 1] if effect.unseen in ids else []
        spoken: dict[str, bool] = {}
        compacted: set[str] = set()
        async for entry in items(self._client, thread.id, newest_first=True, pages=HISTORY_PAGES):
            if entry.turn_id == effect.since:
                break
            item = decode_item(entry.item)
            spoken[entry.turn_id] = spoken.get(entry.turn_id, False) or isinstance(item, UserMessageItem)
            if isinstance(item, ContextCompactionItem):
                compacted.add(entry.turn_id)
        if thread.path:
            compacted |= await asyncio.to_thread(compacted_turns, Path(thread.path))
        return tuple(
            facts.MissedTurn(turn.id, turn.id in compacted, spoken.get(turn.id, False)) for turn in reversed(newer)
        )

    async def _resumed(self, thread: str, limits: Limits | None, asked: Asked | None) -> methods.ThreadGiven:
        """Join the thread, under its limits if it has any."""
        params = _resume(thread, limits, knows_threshold=asked is None or asked.knows)
        try:
            given = await self._client.call(methods.THREAD_RESUME, params)
        except CallRefused:
            if limits is None or not await self._is_open(thread):
                raise
            # It has had no turn, so it has no history to join. Codex writes down a thread with a name (measured).
            await self._client.call(methods.THREAD_NAME_SET, methods.ThreadName(thread_id=thread, name="rawr"))
            given = await self._client.call(methods.THREAD_RESUME, params)
        if given.thread.id != thread:
            message = f"it returned another thread, {given.thread.id}"
            raise CallRefused(methods.THREAD_RESUME.method, 0, message)
        return given

    async def _is_open(self, thread: str) -> bool:
        loaded = await self._client.call(methods.THREAD_LOADED_LIST, methods.Page(limit=MAX_THREADS))
        return thread in loaded.data

    async def _set_limits(self, thread: str, limits: Limits) -> None:
        """Try to set the limits. A refusal does no harm: rawr then reads what is in force, and refuses it if wider."""
        settings = methods.ThreadSettings(
            thread_id=thread,
            approval_policy=wire_limits.approval_policy(limits),
            approvals_reviewer=limits.reviewer or UNSET,
            sandbox_policy=wire_limits.policy(limits),
            permissions=limits.profile or UNSET,
        )
        with contextlib.suppress(CallRefused):
            await self._client.call(methods.THREAD_SETTINGS_UPDATE, settings)

    async def _has_token_budget(self, thread: str) -> bool:
        """Return True if the feature is on for this thread. False if the server cannot tell."""
        wanted = methods.FeaturesList(thread_id=thread, limit=MAX_FEATURES)
        try:
            listed = await self._client.call(methods.FEATURES_LIST, wanted, deadline=FEATURES_DEADLINE)
        except (CallRefused, CallTimedOut):
            return False
        return any(feature.enabled for feature in listed.data if feature.name == "token_budget")

    async def _newest_turn(self, thread: str) -> WireTurn | None:
        page = await self._client.call(
            methods.THREAD_TURNS_LIST,
            methods.TurnsList(thread_id=thread, limit=1, items_view="full", sort_direction="desc"),
        )
        return page.data[0] if page.data else None

    async def _turns(self, thread: str) -> list[WireTurn]:
        """The newest turns, newest first, without their items."""
        wanted = methods.TurnsList(thread_id=thread, limit=NEWEST_TURNS, items_view="notLoaded", sort_direction="desc")
        return (await self._client.call(methods.THREAD_TURNS_LIST, wanted)).data

    async def _find_message(self, thread: str, effect: effects.FindMessage) -> Done:
        """The turn that holds the message with this client id; empty if the newest history does not have it.

        Includes a turn that is still running: Codex may not have recorded its contents yet.
        """
        turn, said = await self._turn_with(thread, effect.message)
        if not turn and effect.text:
            turn = await self._turn_with_unshown(thread, effect.text)
        if not turn:
            return Done()
        listed = (one for one in await self._turns(thread) if one.id == turn)
        status = next((one.status for one in listed), "")
        if status == "inProgress":
            return Done(turn, ((thread, facts.TurnStarted(turn=turn)),))
        over = facts.MessageFound(message=effect.message, turn=turn, completed=status == "completed", said=said)
        return Done(turn, ((thread, over),))

    async def _input(self, thread: str, effect: effects.StartTurn | effects.SteerTurn) -> list[Input]:
        """The text, then what it carries. A user's own text is what it carries, and not sent twice."""
        said: list[Input] = [TextInput(text=effect.text)] if effect.own or not effect.carries else []
        for one in effect.carries:
            said += await self._said_in(thread, one.turn) or [TextInput(text=one.text)]
        return said

    async def _find_said(self, thread: str, turn: str) -> Done:
        """Tell the messages of a turn that no notification has shown."""
        said = await self._said_in(thread, turn)
        if not said:
            return Done()
        message = UserMessage(id=turn, text=head(text_of(said), MAX_MESSAGE))
        return Done(turn, ((thread, facts.ItemCompleted(turn=turn, item=message)),))

    async def _said_in(self, thread: str, turn: str) -> list[Raw]:
        """What the user said in a turn, part by part as Codex has it: words, pictures, mentions."""
        messages: list[list[Raw]] = []
        with contextlib.suppress(CallRefused):
            async for entry in items(self._client, thread, newest_first=True, pages=HISTORY_PAGES):
                item = decode_item(entry.item) if entry.turn_id == turn else None
                if isinstance(item, UserMessageItem):
                    messages.append(item.content)
        return [part for content in reversed(messages) for part in content]

    async def _turn_with_unshown(self, thread: str, text: str) -> str:
        path = (await self._client.call(methods.THREAD_READ, methods.ThreadRead(thread_id=thread))).thread.path
        return await asyncio.to_thread(turn_with_unshown, Path(path), text) if path else ""

    async def _messages(self, thread: str) -> tuple[str, ...]:
        """The user's messages: the first and the newest ones, oldest first, without rawr's own."""
        oldest = [entry async for entry in items(self._client, thread, newest_first=False, pages=1)]
        newest = [entry async for entry in items(self._client, thread, newest_first=True, pages=HISTORY_PAGES)]
        found: dict[str, str] = {}
        for entry in (*oldest, *reversed(newest)):
            item = decode_item(entry.item)
            if isinstance(item, UserMessageItem):
                text = text_of(item.content)
                if text.strip() and not text.startswith("[rawr "):
                    found.setdefault(item.id, head(text, MAX_MESSAGE))
        texts = list(found.values())
        return (*texts[:1], *texts[1:][-MAX_MESSAGES:])

    async def _turn_with(self, thread: str, message: str) -> tuple[str, str]:
        """The turn with the message, and the agent's last words in it."""
        said: dict[str, str] = {}
        async for entry in items(self._client, thread, newest_first=True, pages=HISTORY_PAGES):
            item = decode_item(entry.item)
            if isinstance(item, AgentMessageItem):
                said.setdefault(entry.turn_id, head(item.text, MAX_MESSAGE))
            if isinstance(item, UserMessageItem) and item.client_id == message:
                return entry.turn_id, said.get(entry.turn_id, "")
        return "", ""


class _Status(Struct):
    type: str = "idle"


def _last_said(turn: WireTurn) -> str:
    said = [one.text for raw in turn.items if isinstance(one := decode_item(raw), AgentMessageItem)]
    return head(said[-1], MAX_MESSAGE) if said else ""


def _left(configured: Native, limits: Limits | None) -> Native:
    """What is left of it on a thread that was started under these limits: they switch off the threshold."""
    ours = limits is not None and limits.native_last
    return Native(token_budget=configured.token_budget) if ours else configured


def _resume(thread: str, limits: Limits | None, *, knows_threshold: bool) -> methods.ThreadResume:
    if limits is None:
        return methods.ThreadResume(thread_id=thread, exclude_turns=True)
    return methods.ThreadResume(
        thread_id=thread,
        exclude_turns=True,
        model=limits.model or UNSET,
        approval_policy=wire_limits.approval_policy(limits),
        approvals_reviewer=limits.reviewer or UNSET,
        sandbox=wire_limits.mode(limits),
        permissions=limits.profile or UNSET,
        config=wire_limits.config(limits, knows_threshold=knows_threshold),
    )


def _turn_start(thread: str, said: list[Input], *, name: str, limits: Limits | None) -> methods.TurnStart:
    start = methods.TurnStart(thread_id=thread, input=said, client_user_message_id=name)
    if limits is None:
        return start
    return replace(
        start,
        model=limits.model or UNSET,
        approval_policy=wire_limits.approval_policy(limits),
        approvals_reviewer=limits.reviewer or UNSET,
        sandbox_policy=wire_limits.policy(limits),
        permissions=limits.profile or UNSET,
    )


def _history_items(packet: str, heads_up: str) -> list[dict[str, object]]:
    """Raw Responses items: the heads-up in the user's role, if there is one, then the packet in the assistant's."""
    told: list[dict[str, object]] = []
    if heads_up:
        told.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": heads_up}]})
    told.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": packet}]})
    return told


def _why(effect: HarnessEffect, refusal: str) -> facts.FailureCode:
    """Codex has no code for what was done to a thread that it does not open."""
    if isinstance(effect, effects.ResumeThread) and " is archived" in refusal:
        return "archived"
    if isinstance(effect, effects.ResumeThread) and refusal.startswith("no rollout found"):
        return "missing"
    return "refused"


def _with_way_out(refusal: str) -> str:
    """Codex's own words; where they leave a person without a next step, with one."""
    if "already has an active writer" in refusal:
        return f"{refusal}: another Codex has it open: close it there, or continue with --attach"
    return refusal
