"""The closed list of settings, made from the structs of the core: name, default, and allowed values.

A setting's name is its path in ``config.toml``. In the frontmatter of ``auto-compact.md`` those of
``[rawr_auto_compaction]`` go without the table's name, and some have another name there, too.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, inspect

from rawr.config import kinds
from rawr.config.attention import Attention
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.policy.full_auto import FullAuto
from rawr.core.policy.markers import Markers
from rawr.core.policy.models import Models
from rawr.core.policy.policy import Limits, Policy
from rawr.core.policy.prompts import Prompts
from rawr.core.policy.tiers import TIERS

ACTING = TIERS[:-1]
"""The tiers that need a boundary."""
SECTION = "rawr_auto_compaction"
FULL_AUTO = "rawr_full_auto"
MODELS = "rawr_models"
NOTIFY = "notify"
ENABLED = f"features.{SECTION}"
KEEP_DAYS = "journal.keep_days"
BACKGROUND = "host.background"
ENVIRONMENT = "host.environment"
CODE_IN_REACH = "host.code_in_reach"
KEPT_DAYS = 30
"""For how long the journal keeps threads that nothing needs, unless somebody says otherwise."""
_NOT_IN_EMERGENCY = (
    "requires_any_boundary",
    "plan_boundaries_require_semantic_break",
    "decision_prompt_path",
    "last_resort",
)
IDLE = frozenset(
    {
        "trigger.auto_requires_any_boundary.emergency",
        *(f"{table}.emergency.{name}" for table in (f"{SECTION}.policy", "policy") for name in _NOT_IN_EMERGENCY),
    }
)
"""Names that have no effect: emergency compacts at once, needs no boundary and asks no model."""


UNCLEAR: Mapping[str, object] = {f"{SECTION}.mode": "tag", f"{SECTION}.scratch_write_enabled": False}
"""The same as ``unclear`` below, for settings that come from a struct."""


class Setting(Struct, frozen=True):
    name: str
    default: object
    reader: kinds.Reader
    unclear: object = None
    """What a value means that cannot be understood; without it, the layer below applies.

    For a switch with which rawr acts: whoever writes anything there but the word to act does not ask for it."""


def boundaries_key(tier: str) -> str:
    return f"{SECTION}.policy.{tier}.requires_any_boundary"


def last_resort_key(tier: str) -> str:
    return f"{SECTION}.policy.{tier}.last_resort"


def percent_key(tier: str) -> str:
    return f"{SECTION}.policy.{tier}.percent_remaining_lt"


def decision_key(tier: str) -> str:
    return f"{SECTION}.policy.{tier}.decision_prompt_path"


def _all() -> Iterator[Setting]:
    defaults = AutoCompaction()
    yield Setting(ENABLED, defaults.enabled, kinds.flag, unclear=False)
    tables = {"enabled", "markers", *TIERS}
    yield from _of(defaults, SECTION, without=tables)
    for tier in TIERS:
        for setting in _of(getattr(defaults, tier), f"{SECTION}.policy.{tier}", without={"decision_prompt"}):
            if setting.name not in IDLE:
                yield setting
    yield from _of(defaults.markers, f"{SECTION}.markers")
    yield from _of(FullAuto(), FULL_AUTO)
    yield from _of(Models(), MODELS)
    yield from _of(Limits(), "limits")
    yield from _of(Attention(), NOTIFY)
    yield Setting(KEEP_DAYS, KEPT_DAYS, kinds.whole(0, 36_500))
    yield Setting(BACKGROUND, True, kinds.flag)  # noqa: FBT003 - a default among others
    yield Setting(ENVIRONMENT, (), kinds.variables())
    yield Setting(CODE_IN_REACH, False, kinds.flag, unclear=False)  # noqa: FBT003 - likewise
    yield Setting("codex.bin", None, kinds.anywhere)
    yield Setting("codex.home", None, kinds.anywhere)


def _of(struct: Struct, prefix: str, *, without: set[str] | None = None) -> Iterator[Setting]:
    info = inspect.type_info(type(struct))
    assert isinstance(info, inspect.StructType)  # noqa: S101 - for the type checker
    for field in info.fields:
        if field.name not in (without or ()):
            name = f"{prefix}.{field.name}"
            yield Setting(name, getattr(struct, field.name), _reader(field.name, field.type), UNCLEAR.get(name))


def _reader(name: str, kind: inspect.Type) -> kinds.Reader:
    match kind:
        case inspect.BoolType():
            return kinds.flag
        case inspect.IntType(ge=int(least), le=int(most)):
            return kinds.whole(least, most)
        case inspect.LiteralType(values=values):
            return kinds.one_of(tuple(map(str, values)))
        case inspect.VarTupleType(item_type=inspect.LiteralType(values=values)):
            return kinds.some_of(tuple(map(str, values)))
        case inspect.VarTupleType(item_type=inspect.StrType()):
            return kinds.phrases()
        case inspect.StrType() if name == "scratch_file":
            return kinds.in_workspace
        case inspect.StrType() if name == "decision_prompt_path":
            return kinds.in_prompts
        case inspect.StrType() if name.endswith("_url"):
            return kinds.address
        case inspect.StrType() if name == "command":
            return kinds.shell_line
        case inspect.StrType() if name.endswith("_env"):
            return kinds.variable
        case _:
            raise NotImplementedError(f"{name}: no reader for {kind}")


SETTINGS: dict[str, Setting] = {one.name: one for one in _all()}

MOVED: dict[str, str] = {f"{SECTION}.enabled": ENABLED, "tiers": f"{SECTION}.policy"}
"""Names that a person may try, and the right ones."""

_ONE_SET = "there is one set of rules now: the tiers and their boundaries decide"
GONE: dict[str, str] = {f"{SECTION}.rules": _ONE_SET, "rules": _ONE_SET}
"""Settings of older versions, by their names in either file, and what holds instead."""

IN_CONFIG: dict[str, tuple[str, ...]] = {name: (name,) for name in SETTINGS}
OWN_NAMES: dict[str, tuple[str, ...]] = {
    **{f"trigger.{tier}_percent_remaining_lt": (percent_key(tier),) for tier in TIERS},
    "trigger.auto_requires_any_boundary": tuple(f"{SECTION}.policy.{tier}.requires_any_boundary" for tier in ACTING),
    **{
        f"trigger.auto_requires_any_boundary.{tier}": (f"{SECTION}.policy.{tier}.requires_any_boundary",)
        for tier in ACTING
    },
    "packet.max_tail_chars": (f"{SECTION}.packet_max_tail_chars",),
    "cooldown.turns": (f"{SECTION}.cooldown_turns",),
    "cooldown.seconds": (f"{SECTION}.cooldown_seconds",),
    **{f"markers.{name}": (f"{SECTION}.markers.{name}",) for name in Markers.__struct_fields__},
}
"""The frontmatter's own names, and the settings that each of them sets. The shipped file has all of these."""
IN_FRONTMATTER: dict[str, tuple[str, ...]] = {
    **{name.removeprefix(f"{SECTION}."): (name,) for name in SETTINGS if name.startswith(f"{SECTION}.")},
    **OWN_NAMES,
}
"""Every setting of ``[rawr_auto_compaction]``, by its name there or by the frontmatter's own."""


def build(values: Mapping[str, object], *, prompts: Prompts, decisions: Mapping[str, str]) -> Policy:
    """The policy from these values. ``decisions`` has the text of each tier's decision prompt."""

    def below(prefix: str) -> dict[str, object]:
        return {name.rpartition(".")[2]: value for name, value in values.items() if name.rpartition(".")[0] == prefix}

    compaction: dict[str, object] = {
        **below(SECTION),
        **{tier: {**below(f"{SECTION}.policy.{tier}"), "decision_prompt": decisions.get(tier, "")} for tier in TIERS},
        "enabled": values[ENABLED],
        "markers": below(f"{SECTION}.markers"),
    }
    # Types are checked once more, so that a reader that accepts something wrong is caught at once.
    return Policy(
        compaction=msgspec.convert(compaction, AutoCompaction),
        full_auto=msgspec.convert(below(FULL_AUTO), FullAuto),
        models=msgspec.convert(below(MODELS), Models),
        prompts=prompts,
        limits=msgspec.convert(below("limits"), Limits),
        watch_files=True,
        pace_runs=True,
        tell_phases=True,
        hear_tools=True,
        look_up_claims=True,
    )


def values_of(policy: Policy) -> dict[str, object]:
    """The settings of a policy by their names, as ``build`` takes them; what is no part of a policy has its default."""
    parts = {
        **{f"{SECTION}.policy.{tier}": getattr(policy.compaction, tier) for tier in TIERS},
        f"{SECTION}.markers": policy.compaction.markers,
        SECTION: policy.compaction,
        FULL_AUTO: policy.full_auto,
        MODELS: policy.models,
        "limits": policy.limits,
    }
    values = {name: setting.default for name, setting in SETTINGS.items()}
    for name in SETTINGS:
        above, _, field = name.rpartition(".")
        if above in parts:
            values[name] = getattr(parts[above], field)
    return {**values, ENABLED: policy.compaction.enabled}


def attention(values: Mapping[str, object]) -> Attention:
    return msgspec.convert({name: values[f"{NOTIFY}.{name}"] for name in Attention.__struct_fields__}, Attention)


def codex_path(values: Mapping[str, object], name: str) -> Path | None:
    value = values[f"codex.{name}"]
    return value if isinstance(value, Path) else None


def background(values: Mapping[str, object]) -> bool:
    return values[BACKGROUND] is True


def environment(values: Mapping[str, object]) -> tuple[str, ...]:
    value = values[ENVIRONMENT]
    return tuple(map(str, value)) if isinstance(value, tuple) else ()


def code_in_reach(values: Mapping[str, object]) -> bool:
    return values[CODE_IN_REACH] is True


def keep_days(values: Mapping[str, object]) -> int:
    value = values[KEEP_DAYS]
    return value if isinstance(value, int) else 0
