"""Whatever stands in the files, a policy comes out, and a wrong value changes no other (A22)."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rawr.config.load import Loaded, load_policy
from rawr.config.settings import IN_FRONTMATTER, SETTINGS, last_resort_key, percent_key
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import TIERS
from rawr.prompts.seeding import folder_of
from rawr.testing.toml_text import toml_text

PLACES = tuple(SETTINGS)

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
words = st.sampled_from(["commit", "auto", "tag", "judgment.md", "x.md", "../x", "", "plan_update", "done"])
values = st.recursive(
    scalars | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
toml_values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | words | st.text(st.characters(codec="utf-8"), max_size=12),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    folder_of(home).mkdir()
    return home


def _write(home: Path, *, config: bytes = b"", frontmatter: bytes = b"") -> Loaded:
    (home / "config.toml").write_bytes(config)
    (folder_of(home) / "auto-compact.md").write_bytes(b"---\n" + frontmatter + b"\n---\nAsk.")
    loaded = load_policy(home)
    assert not any("bug in rawr" in warning.problem for warning in loaded.warnings), loaded.warnings
    _sound(loaded.policy)
    for warning in loaded.warnings:
        assert warning.line is None or warning.line >= 1
        str(warning).encode()
    return loaded


def _sound(policy: Policy) -> None:
    found = policy.thresholds
    early, ready, asap, emergency = found.values()
    assert 100 >= early >= ready >= asap >= emergency >= 0
    assert len(policy.hash) == 12
    assert all(getattr(policy.prompts, name) for name in policy.prompts.__struct_fields__)


def _nested(given: dict[str, object]) -> dict[str, object]:
    """Dotted names as tables; where a name is both, the deeper one gives way."""
    root: dict[str, object] = {}
    for name, value in sorted(given.items()):
        table = root
        *above, last = name.split(".")
        for part in above:
            inner = table.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            table = inner
        else:
            table.setdefault(last, value)
    return root


@settings(max_examples=60, deadline=None)
@given(config=st.binary(max_size=200), frontmatter=st.binary(max_size=200))
def test_any_bytes(home: Path, config: bytes, frontmatter: bytes) -> None:
    _write(home, config=config, frontmatter=frontmatter)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(tuple(IN_FRONTMATTER)) | st.text(max_size=8), values, max_size=6))
def test_any_values_in_the_frontmatter(home: Path, given_: dict[str, object]) -> None:
    text = yaml.safe_dump(_nested(given_), allow_unicode=True)
    _write(home, frontmatter=text.encode("utf-8", "surrogatepass"))


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.sampled_from(PLACES), toml_values, max_size=6))
def test_a_wrong_value_changes_no_other(home: Path, given_: dict[str, object]) -> None:
    """A file is as good as each of its lines: what is said and used for one setting does not depend on the others."""
    together = _write(home, config=toml_text(_nested(given_)).encode())
    alone = {name: _write(home, config=toml_text(_nested({name: value})).encode()) for name, value in given_.items()}
    percents = {percent_key(tier) for tier in TIERS}
    together_only = percents | {last_resort_key(tier) for tier in TIERS}  # percents must fall; this follows its list
    for name in SETTINGS:
        if name in together_only:
            continue
        expected = alone[name].values[name] if name in alone else SETTINGS[name].default
        assert together.values[name] == expected
    assert {(one.key, one.problem) for one in together.warnings if one.key not in percents} == {
        (one.key, one.problem) for loaded in alone.values() for one in loaded.warnings if one.key not in percents
    }


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from([percent_key(tier) for tier in TIERS]), st.integers(-5, 105)))
def test_percents_always_fall(home: Path, given_: dict[str, object]) -> None:
    loaded = _write(home, config=toml_text(_nested(given_)).encode())
    told = {warning.key for warning in loaded.warnings}
    for name, value in given_.items():
        assert (loaded.values[name] == value) or name in told


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(PLACES) | st.text(max_size=8), values | st.binary(), max_size=5))
def test_any_flags(home: Path, flags: dict[str, object]) -> None:
    _write(home)
    loaded = load_policy(home, flags=flags)
    assert not any("bug in rawr" in warning.problem for warning in loaded.warnings)
    _sound(loaded.policy)
