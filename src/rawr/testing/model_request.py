"""What Codex asked the model, in a form that is easy to read in a test.

This relies on facts about Codex (0.163): the header ``thread-id`` names the thread, including forks and subagents
(``prompt_cache_key`` does not: they share their parent's); ``x-codex-turn-metadata`` says what kind of request it is;
base instructions travel as the first developer message.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from rawr.testing.scenario import JsonObject

COMPACTION_PROMPT = "CONTEXT CHECKPOINT COMPACTION"
SUMMARY_OPENING = "Another language model started to solve this problem"
# Codex adds these to the conversation in the user's role; the user wrote none of them.
CONTEXT_OPENINGS = (
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
    "# AGENTS.md instructions",
    SUMMARY_OPENING,
)
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})


class ToolOutput(msgspec.Struct, frozen=True):
    """What a tool returned to the model; ``tool`` is empty if the call itself is no longer in the input."""

    call_id: str
    tool: str
    text: str


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One ``POST /v1/responses``: ``number`` counts from 1, header names are lower case, ``at_ms`` is Unix time."""

    number: int
    conversation: str
    at_ms: int
    headers: Mapping[str, str]
    body: JsonObject

    @cached_property
    def input(self) -> tuple[JsonObject, ...]:
        return tuple(_objects(self.body.get("input")))

    @cached_property
    def metadata(self) -> JsonObject:
        """What Codex says about the request itself: ``turn_id``, ``request_kind``, ``window_number`` and so on."""
        return decode_object(self.headers.get("x-codex-turn-metadata", "").encode()) or {}

    def texts(self, role: str) -> tuple[str, ...]:
        """Every message of that role (``user``, ``assistant``, ``developer``), oldest first, as it is there."""
        return tuple(_text(item.get("content")) for item in self.input if _is_message(item, role))

    @property
    def user_texts(self) -> tuple[str, ...]:
        """What the user wrote: messages in the user's role, without those that Codex adds itself."""
        return tuple(text for text in self.texts("user") if not text.startswith(CONTEXT_OPENINGS))

    @property
    def first_user(self) -> str:
        return next(iter(self.user_texts), "")

    @property
    def last_user(self) -> str:
        return next(reversed(self.user_texts), "")

    @property
    def summary(self) -> str | None:
        """The summary that an earlier compaction left in the input, with Codex's own opening."""
        found = [text for text in self.texts("user") if text.startswith(SUMMARY_OPENING)]
        return found[-1] if found else None

    def tool_outputs(self) -> tuple[ToolOutput, ...]:
        return tuple(self._outputs(self.input))

    def new_tool_outputs(self) -> tuple[ToolOutput, ...]:
        """The outputs new in this request: everything since the last item that the model wrote."""
        last = max((index for index, item in enumerate(self.input) if _is_models_own(item)), default=-1)
        return tuple(self._outputs(self.input[last + 1 :]))

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the available tools; a tool without a name goes by its type.

        For some models, Codex puts them at the head of the input, in groups; there each goes by its own name.
        """
        grouped = [group for item in self.input if item.get("type") == "additional_tools" for group in _tools(item)]
        tools = [*_tools(self.body), *(tool for group in grouped for tool in _tools(group) or (group,))]
        return tuple(str(tool.get("name") or tool.get("type")) for tool in tools)

    @property
    def instructions(self) -> str:
        return _string(self.body.get("instructions")) or next(iter(self.texts("developer")), "")

    @property
    def schema(self) -> JsonObject | None:
        """The JSON Schema that the answer must follow, if the turn asked for one."""
        schema = _object(_object(self.body.get("text")).get("format")).get("schema")
        return _object(schema) if isinstance(schema, dict) else None

    @property
    def is_compaction(self) -> bool:
        """Codex asks for the summary that replaces the conversation."""
        if self.is_remote_compaction:
            return True
        if "request_kind" in self.metadata:
            return self.metadata["request_kind"] == "compaction"
        return bool(self.input) and COMPACTION_PROMPT in _text(self.input[-1].get("content"))

    @property
    def is_remote_compaction(self) -> bool:
        """Codex leaves the compaction to the model's server, as with OpenAI's, and takes back one sealed item."""
        return bool(self.input) and self.input[-1].get("type") == "compaction_trigger"

    @cached_property
    def all_text(self) -> str:
        """Everything in the input that the model can read: messages, tool calls and their outputs."""
        return "\n".join(_readable(item) for item in self.input)

    def _outputs(self, items: tuple[JsonObject, ...]) -> Iterator[ToolOutput]:
        names = {item.get("call_id"): _string(item.get("name")) for item in self.input if item.get("type") in _CALLS}
        for item in items:
            if item.get("type") in _OUTPUTS:
                call_id = _string(item.get("call_id"))
                yield ToolOutput(call_id, names.get(call_id, ""), _text(item.get("output")))


def decode_object(raw: bytes) -> JsonObject | None:
    """A JSON object; None if the bytes hold none."""
    try:
        return msgspec.json.decode(raw, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _is_message(item: JsonObject, role: str) -> bool:
    return item.get("type") == "message" and item.get("role") == role


def _is_models_own(item: JsonObject) -> bool:
    return item.get("type") in _CALLS or item.get("type") == "reasoning" or _is_message(item, "assistant")


def _readable(item: JsonObject) -> str:
    parts = (item.get("content"), item.get("name"), item.get("arguments"), item.get("input"), item.get("output"))
    return "\n".join(text for text in map(_text, parts) if text)


def _text(content: object) -> str:
    """Text from a string, a content part, or a list of them."""
    match content:
        case str():
            return content
        case list():
            return "\n".join(text for text in map(_text, content) if text)
        case {"text": str(text)}:
            return text
        case {"content": inner}:
            return _text(inner)
        case _:
            return ""


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _tools(holder: JsonObject) -> tuple[JsonObject, ...]:
    return tuple(_objects(holder.get("tools")))


def _objects(value: object) -> Iterator[JsonObject]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))
