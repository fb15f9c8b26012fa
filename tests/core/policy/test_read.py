"""Every setting is read by something: one that nobody reads would be accepted, documented and without effect."""

import ast
from functools import cache
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import fields

import rawr
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import TIERS

SOURCE = Path(rawr.__file__).parent
ELSEWHERE = (SOURCE / "core" / "policy", SOURCE / "config")
"""Where settings are declared and filled in."""


BY_NAME = {*TIERS, "decision_prompt_path"}
"""Tiers are read by the name of the tier; the path, when the files of a home are resolved (``config.settings``)."""


def settings() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    kinds: list[type[Struct]] = [Policy]
    for kind in kinds:
        for field in fields(kind):
            found.append((kind.__name__, field.name))
            inner = field.type
            if isinstance(inner, type) and issubclass(inner, Struct) and inner not in kinds:
                kinds.append(inner)
    return found


@cache
def read() -> set[str]:
    """Every attribute that is read, by its name alone."""
    names: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        inside = any(path.is_relative_to(one) for one in ELSEWHERE)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and not (inside and ast.unparse(node.value) == "self.values"):
                names.add(node.attr)
            elif isinstance(node, ast.MatchClass):
                names |= set(node.kwd_attrs)
    return names


@pytest.mark.parametrize(("kind", "name"), settings())
def test_somebody_reads_it(kind: str, name: str) -> None:
    assert name in read() | BY_NAME, f"{kind}.{name} is a setting that nothing reads"


def test_the_whole_policy_is_looked_at() -> None:
    kinds = {kind for kind, _ in settings()}
    assert {"Policy", "AutoCompaction", "TierPolicy", "FullAuto", "Models", "Limits"} <= kinds
