"""``--policy FILE``: settings for one run, or for a replay, written as in ``config.toml`` and overriding it.

A person who names a file means all of it. So, unlike in ``config.toml``, any mistake in it is an error, and no run is
started.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from rawr.approvals import rule_problems
from rawr.config.file import parse
from rawr.config.load import Loaded, load_policy
from rawr.config.origin import Origin
from rawr.config.resolve import Resolution
from rawr.config.settings import FULL_AUTO, IN_CONFIG, build, decision_key, values_of
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import TIERS
from rawr.errors import ConfigError
from rawr.prompts.found import Found
from rawr.prompts.reading import Unusable, Warned, read_text


def settings_in(file: Path, below: Loaded) -> dict[str, object]:
    """Every setting by its name, as a flag would give it. ``below`` is what applies without the file."""
    return _given(_tree(file), file, below.values, way_out="Nothing was started.")


class Rules:
    """Recorded rules with the settings of a file over them: what would be in force, had the file been there.

    ``home`` has the prompt files that a setting may name.
    """

    def __init__(self, file: Path, home: Path) -> None:
        self._file, self._home = file, home
        self._tree = _tree(file)
        self._last: tuple[Policy, Policy] | None = None

    def over(self, policy: Policy) -> Policy:
        # Most starts of rawr are under the rules of the one before.
        if self._last is None or self._last[0] != policy:
            self._last = policy, self._laid_over(policy)
        return self._last[1]

    def _laid_over(self, policy: Policy) -> Policy:
        values = values_of(policy)
        given = _given(self._tree, self._file, values)
        named = load_policy(self._home, flags=given).policy.compaction
        decisions: dict[str, str] = {
            tier: getattr(named if decision_key(tier) in given else policy.compaction, tier).decision_prompt
            for tier in TIERS
        }
        built = build({**values, **given}, prompts=policy.prompts, decisions=decisions)
        return replace(
            policy,
            compaction=built.compaction,
            full_auto=built.full_auto,
            models=built.models,
            limits=built.limits,
        )


def _tree(file: Path) -> Found:
    try:
        return parse(read_text(file))
    except FileNotFoundError as error:
        raise ConfigError(f"{file} cannot be read: there is no such file.") from error
    except Unusable as error:
        place = f"{file}:{error.line}" if error.line else str(file)
        raise ConfigError(f"{place}: {error.problem}.", way_out="Write it in the format of config.toml.") from error


def _given(tree: Found, file: Path, below: Mapping[str, object], *, way_out: str = "") -> dict[str, object]:
    resolution = Resolution()
    resolution.values.update(below)
    resolution.lay(tree, "flag", names=IN_CONFIG, file=file)
    given = {name: resolution.values[name] for name, origin in resolution.origins.items() if origin.file == file}
    # In config.toml another value would replace a wrong one; here none does.
    wrong = [*(replace(one, remedy="") for one in resolution.warnings), *rules_that_fail(given, resolution.origins)]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise ConfigError(f"{str(wrong[0]).rstrip('.')}{more}.", way_out=way_out)
    return given


def rules_that_fail(values: Mapping[str, object], origins: Mapping[str, Origin]) -> list[Warned]:
    """Rules for approvals that mean nothing, or too much. If there are any, nothing at all is approved."""
    found = [
        (f"{FULL_AUTO}.{kind}", problem)
        for kind in ("allow", "deny", "protect", "not_secret")
        for problem in rule_problems(**{kind: _rules(values.get(f"{FULL_AUTO}.{kind}"))})
    ]
    return [Warned(origins[name].file, origins[name].line, name, problem) for name, problem in found]


def _rules(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple | list) else ()
