"""The policy of a home: prompt files, frontmatter, ``config.toml`` and flags, resolved into one frozen value.

Nothing here raises because of what a person wrote. An unusable value is a warning with file, line and key.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rawr.config.attention import Attention
from rawr.config.file import ConfigFile, Contents
from rawr.config.flags import flags_tree
from rawr.config.origin import Origin
from rawr.config.resolve import Resolution
from rawr.config.settings import (
    ACTING,
    IN_CONFIG,
    IN_FRONTMATTER,
    KEPT_DAYS,
    attention,
    background,
    build,
    code_in_reach,
    codex_path,
    decision_key,
    environment,
    keep_days,
)
from rawr.core.policy.policy import Policy
from rawr.prompts.catalog import PROMPTS, named
from rawr.prompts.document import NO_TEXT, split
from rawr.prompts.found import Found
from rawr.prompts.library import Library, Texts
from rawr.prompts.reading import Stamp, Unusable, Warned, read_text, stamp_of
from rawr.prompts.seeding import folder_of, seed

HELD = "the previous settings stay in force"
SETTINGS_FILE = next(prompt.file for prompt in PROMPTS if prompt.has_settings)


class Settings(Struct, frozen=True):
    """What is configured besides the policy."""

    codex_bin: Path | None = None
    codex_home: Path | None = None
    attention: Attention = Attention()
    keep_days: int = KEPT_DAYS
    """For how long the journal keeps threads that nothing needs; 0: for good."""
    background: bool = True
    """``rawr run`` and ``rawr watch`` work in a host that goes on when the terminal closes."""
    environment: tuple[str, ...] = ()
    """Names of variables that a terminal sends to the host, besides those on rawr's own list."""
    code_in_reach: bool = False
    """rawr works even where an agent can change rawr's own code: for those who work on rawr with rawr."""


class Loaded(Struct, frozen=True):
    policy: Policy
    settings: Settings
    values: dict[str, object]
    """Every setting by its name in ``config.toml``."""
    origins: dict[str, Origin]
    """The origin of each setting, and of each prompt text (``prompts.heads_up``)."""
    warnings: tuple[Warned, ...] = ()


def load_policy(home: Path, *, flags: Mapping[str, object] | None = None) -> Loaded:
    """The policy of this home now. Nothing is written; missing files mean the defaults."""
    return PolicySource(home, flags=flags).current()


class PolicySource:
    """The policy, repeatedly: cheap while no file has changed, and never an exception.

    With ``seeding``, the prompt files are first put into the home, once. While ``held``, what was read last stays in
    force, whatever the files say now.
    """

    def __init__(
        self,
        home: Path,
        *,
        flags: Mapping[str, object] | None = None,
        seeding: bool = False,
        held: Callable[[], bool] | None = None,
    ) -> None:
        self._held = held
        self._home = home
        self._flags = flags_tree(flags or {})
        self._library = Library(home)
        self._config = ConfigFile(home)
        self._seeding = seeding
        self._seed_warnings: tuple[Warned, ...] = ()
        self._seen: tuple[Texts, Contents, tuple[Stamp | None, ...]] | None = None
        self._decision_files: tuple[Path, ...] = ()
        self._loaded: Loaded | None = None
        self._frontmatter = folder_of(home) / SETTINGS_FILE
        self._good: Contents | None = None
        """The config when nothing, or nothing new, was wrong with it."""
        self._good_tree: Found | None = None
        """The same of the frontmatter."""

    def current(self) -> Loaded:
        """The same object as before, as long as nothing has changed."""
        if self._loaded is not None and self._held is not None and self._held():
            return self._loaded
        try:
            return self._current()
        except Exception as error:
            # A session must continue, even if reading the settings fails.
            problem = f"the settings could not be read, which is a bug in rawr: {error!r}"
            last = self._loaded or _bare()
            return replace(last, warnings=(Warned(self._home, None, "", problem, "the last ones stay in force"),))

    def _current(self) -> Loaded:
        if self._seeding:
            self._seeding = False
            self._seed_warnings = seed(self._home).warnings
        texts, contents = self._library.texts(), self._config.contents()
        last, seen = self._loaded, self._seen
        if (
            last is not None
            and seen is not None
            and seen[0] is texts
            and seen[1] is contents
            and seen[2] == tuple(map(stamp_of, self._decision_files))
        ):
            return last
        tree = _settings_in(texts)
        resolved = self._resolve(texts, contents, tree)
        held: list[Path] = []
        """The files whose settings from before apply until they are mended: the defaults may do more."""
        if last is not None:
            # Half an edit, or a mistake.
            held = [file for file in (self._config.path, self._frontmatter) if self._worse(file, resolved, last)]
        gone = last is not None and self._good is not None and contents.missing and not self._good.missing
        if gone:
            # What it denied must not be allowed because the file is away, perhaps for a moment.
            held.append(self._config.path)
        if self._config.path not in held:
            self._good = contents
        if self._frontmatter not in held:
            self._good_tree = tree
        if held:
            told = tuple(self._held_back(one, held) for one in resolved.warnings)
            if gone:
                told += (Warned(self._config.path, None, "", "it is gone", HELD),)
            resolved = replace(self._resolve(texts, self._good or contents, self._good_tree), warnings=told)
        self._seen = (texts, contents, tuple(map(stamp_of, self._decision_files)))
        self._loaded = resolved
        return resolved

    def _held_back(self, warned: Warned, held: list[Path]) -> Warned:
        if warned.file not in held or not self._concerns_settings(warned):
            return warned
        return replace(warned, remedy=HELD)

    def _worse(self, file: Path, resolved: Loaded, last: Loaded) -> bool:
        """Return True if the file has a problem with its settings that it did not have before."""
        if self._good is None:
            return False
        known = {(one.line, one.key) for one in last.warnings if one.file == file}
        wrong = [one for one in resolved.warnings if one.file == file and self._concerns_settings(one)]
        return any((one.line, one.key) not in known for one in wrong)

    def _concerns_settings(self, warned: Warned) -> bool:
        """Not the text of a prompt: that has a shipped one to fall back on, which decides nothing."""
        prompts = {decision_key(tier) for tier in ACTING}
        return warned.key not in prompts and not warned.key.startswith("{") and warned.problem != NO_TEXT

    def _resolve(self, texts: Texts, contents: Contents, tree: Found | None) -> Loaded:
        folder = folder_of(self._home)
        resolution = Resolution()
        resolution.lay(tree, "frontmatter", names=IN_FRONTMATTER, file=self._frontmatter)
        resolution.lay(contents.tree, "config", names=IN_CONFIG, file=self._config.path)
        resolution.lay(self._flags, "flag", names=IN_CONFIG, file=None)
        resolution.keep_lists()
        decisions, problems = self._decisions(texts, resolution)
        values = resolution.values
        return Loaded(
            policy=build(values, prompts=texts.prompts, decisions=decisions),
            settings=Settings(
                codex_path(values, "bin"),
                codex_path(values, "home"),
                attention(values),
                keep_days(values),
                background(values),
                environment(values),
                code_in_reach(values),
            ),
            values=values,
            origins={**resolution.origins, **_prompt_origins(texts, folder)},
            warnings=_in_order(
                [*self._seed_warnings, *texts.warnings, *contents.warnings, *resolution.warnings, *problems]
            ),
        )

    def _decisions(self, texts: Texts, resolution: Resolution) -> tuple[dict[str, str], list[Warned]]:
        """The text of each tier's decision prompt. An unreadable one is replaced, so that the model is still asked."""
        judgment = texts.documents["judgment"].body
        decisions: dict[str, str] = {}
        problems: list[Warned] = []
        files = []
        for tier in ACTING:
            key = decision_key(tier)
            name = str(resolution.values[key])
            known = named(name)
            if known is not None:
                decisions[tier] = texts.documents[known.name].body
            elif name:
                file = folder_of(self._home) / name
                files.append(file)
                decisions[tier], problem = _decision(file)
                if problem:
                    decisions[tier] = judgment
                    origin = resolution.origins[key]
                    warned = Warned(origin.file, origin.line, key, f"{file}: {problem}", "judgment.md is used")
                    problems.append(warned)
        self._decision_files = tuple(files)
        return decisions, problems


def _settings_in(texts: Texts) -> Found | None:
    return next((texts.documents[prompt.name].settings for prompt in PROMPTS if prompt.has_settings), None)


def _decision(file: Path) -> tuple[str, str]:
    """The text, or what is wrong with it."""
    try:
        _, body, _ = split(read_text(file))
    except FileNotFoundError:
        return "", "there is no such file"
    except Unusable as error:
        return "", error.problem
    return body, "" if body else "the file has no text"


def _in_order(warnings: list[Warned]) -> tuple[Warned, ...]:
    """File by file, and each from top to bottom."""
    files = list(dict.fromkeys(warned.file for warned in warnings))
    return tuple(sorted(warnings, key=lambda warned: (files.index(warned.file), warned.line or 0)))


def _prompt_origins(texts: Texts, folder: Path) -> dict[str, Origin]:
    origins = {}
    for prompt in PROMPTS:
        line = texts.documents[prompt.name].body_line
        here = Origin("prompt", folder / prompt.file, line)
        origins[f"prompts.{prompt.field}"] = Origin() if line is None else here
    return origins


def _bare() -> Loaded:
    resolution = Resolution()
    policy = Policy(
        watch_files=True,
        pace_runs=True,
        tell_phases=True,
        hear_tools=True,
        look_up_claims=True,
    )
    return Loaded(policy, Settings(), resolution.values, resolution.origins)
