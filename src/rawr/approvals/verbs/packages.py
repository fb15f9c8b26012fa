"""Package managers, and what they start (C10): ``npm test``, ``pip install``, ``uv sync``.

They run the workspace's scripts, and those of the packages that it names, by nature. Nowhere on their lists: another
registry or index, an address, a path or an archive for a package, another shell or settings file (``--script-shell``,
``--userconfig``, ``--node-options``), another folder (``--prefix``, ``-C``, ``--target``), and what goes public
(``publish``, ``login``, ``token``).
"""

from rawr.approvals.programs.arguments import Call
from rawr.approvals.verbs.kinds import (
    ARGUMENT,
    EXPRESSION,
    FILE,
    NAME,
    NAMES,
    NUMBER,
    PACKAGE,
    PYTHON_PACKAGE,
    TASK,
    TEXT,
    THERE,
    checked,
    either,
    one_of,
)
from rawr.approvals.verbs.verb import Style, Verb, verb, with_words

_NPM = (
    "-s --silent --if-present --workspaces --ws --include-workspace-root --no-color --quiet --offline --prefer-offline "
    "--ignore-scripts --no-audit --no-fund --no-progress --foreground-scripts --parallel --recursive -r"
)
_NPM_VALUES = {
    NAME: "-w --workspace --loglevel",
    either(PACKAGE, EXPRESSION): "--filter",
}
_ADDS = (
    f"{_NPM} -DEPO --save --save-dev --save-exact --save-optional --save-peer --no-save --legacy-peer-deps --force "
    "--frozen-lockfile --no-frozen-lockfile --package-lock-only --dry-run --production --omit=dev --immutable"
)


def _script(words: str) -> Verb:
    return verb(words, _NPM, values=_NPM_VALUES, operands=ARGUMENT, tail=ARGUMENT, project=True)


def _passing(words: str) -> Verb:
    """What follows goes to the script."""
    return verb(words, tail=ARGUMENT, style="passed", project=True)


def _named_script(words: str, *, style: Style = "gnu") -> Verb:
    named = verb(words, _NPM, values=_NPM_VALUES, first=(TASK,), operands=ARGUMENT, project=True, style=style)
    return with_words(words, named, tail=ARGUMENT if style == "gnu" else None)


_SCRIPTS = "test t tst start build lint format typecheck check dev e2e fmt type-check types clean coverage ci:test"
_OF_NPM = tuple(_script(f"npm {one}") for one in ("test", "t", "tst", "start", "stop", "restart"))
_OF_OTHERS = tuple(_passing(f"{manager} {one}") for manager in ("pnpm", "yarn") for one in _SCRIPTS.split())
_RUN = tuple(
    _named_script(f"{manager} run", style="gnu" if manager == "npm" else "ordered")
    for manager in ("npm", "pnpm", "yarn", "bun")
)
_INSTALL = tuple(
    verb(f"{manager} {one}", _ADDS, values=_NPM_VALUES, operands=PACKAGE, project=True)
    for manager, names in (
        ("npm", "install i add ci clean-install update uninstall remove rm dedupe prune rebuild"),
        ("pnpm", "install i add update remove"),
        ("yarn", "install add remove upgrade"),
        ("bun", "install add remove"),
    )
    for one in names.split()
)
_NPM_LOOKS = (
    *(
        verb(
            f"npm {one}",
            "-l --all --long --json --parseable --depth=0 --production --omit=dev --workspaces",
            values={NUMBER: "--depth", NAME: "-w --workspace"},
            operands=PACKAGE,
            project=True,
        )
        for one in ("ls", "list", "outdated", "view", "info", "show", "explain", "why")
    ),
    verb(
        "npm audit",
        "--json --production --omit=dev",
        values={one_of("low moderate high critical none"): "--audit-level"},
        first=(one_of("fix"),),
        project=True,
    ),
)
_PIP = (
    "-qvU --upgrade --quiet --verbose --no-deps --dry-run --pre --no-cache-dir --no-input --disable-pip-version-check "
    "--no-build-isolation --require-hashes --user --only-binary=:all: --force-reinstall --ignore-installed"
)


def _project(text: str, call: Call) -> list[str]:
    """``.`` and ``./lib[test]``: a folder of the workspace."""
    return FILE.check(text.partition("[")[0], call) if text.startswith(".") else PYTHON_PACKAGE.check(text, call)


_INSTALLED = either(PYTHON_PACKAGE, checked("a folder of the workspace", _project))
_INSTALLS = {FILE: "-r --requirement -c --constraint", checked("a folder of the workspace", _project): "-e --editable"}


_UV = (
    "-qvU --quiet --verbose --upgrade --frozen --locked --offline --no-sync --all-extras --all-groups --dev "
    "--no-dev --no-cache "
    "--all-packages --dry-run --check --reinstall --no-install-project --inexact"
)
_UV_VALUES = {NAMES: "--extra --group --only-group --package", PYTHON_PACKAGE: "-P --upgrade-package"}

PACKAGES: tuple[Verb, ...] = (
    *_OF_NPM,
    *_OF_OTHERS,
    *_RUN,
    with_words("npm run-script", _RUN[0]),
    *_INSTALL,
    *_NPM_LOOKS,
    verb(
        "bun test",
        "-u --bail --coverage --update-snapshots --watch --only",
        values={EXPRESSION: "-t --test-name-pattern", NUMBER: "--timeout"},
        operands=FILE,
        project=True,
    ),
    verb("pip install", _PIP, values=_INSTALLS, operands=_INSTALLED, project=True),
    verb("pip list", "-o --outdated --format=json --format=columns", project=True),
    verb("pip show", "-f --files", operands=NAME, project=True),
    verb("pip check", project=True),
    verb("pip freeze", "-l --local --all", project=True),
    verb("pip uninstall", "-yq --yes", operands=NAME, project=True),
    verb("uv sync", _UV, values=_UV_VALUES, project=True),
    verb("uv lock", _UV, values=_UV_VALUES, project=True),
    verb(
        "uv add", _UV, values={**_UV_VALUES, NAMES: "--extra --group --optional"}, operands=PYTHON_PACKAGE, project=True
    ),
    verb("uv remove", _UV, values=_UV_VALUES, operands=NAME, project=True),
    verb("uv tree", _UV, values={NUMBER: "-d --depth"}, project=True),
    verb("uv build", "-q --wheel --sdist --all-packages", project=True),
    verb("uv venv", "-q --seed --clear", values={NAME: "-p --python"}, project=True),
    verb("uv pip install", _PIP, values=_INSTALLS, operands=_INSTALLED, project=True),
    verb("uv pip list", project=True),
    verb(
        "poetry install",
        "-qvn --sync --no-root --all-extras --no-interaction --only-root",
        values={NAMES: "-E --extras --with --without --only"},
        project=True,
    ),
    verb(
        "poetry add",
        "-qvnD --dev --dry-run --lock",
        values={NAMES: "-G --group -E --extras"},
        operands=PYTHON_PACKAGE,
        project=True,
    ),
    verb("poetry remove", "-qn --dry-run", values={NAMES: "-G --group"}, operands=NAME, project=True),
    verb("poetry lock", "-qn --no-update --regenerate --check", project=True),
    verb("poetry update", "-qn --dry-run --lock", operands=NAME, project=True),
    verb("poetry check", "--lock", project=True),
    verb("poetry show", "-to --tree --outdated --latest", operands=NAME, project=True),
    verb("poetry build", "-q", project=True),
    verb("composer install", "-qno --no-dev --no-interaction --no-progress --optimize-autoloader", project=True),
    verb(
        "python",
        "-uBOIsE",
        values={TEXT: "-c"},
        named="-c",
        first=(THERE,),
        operands=ARGUMENT,
        style="ordered",
        project=True,
    ),
    verb(
        "node",
        "--test --check --watch --enable-source-maps --no-warnings --trace-warnings --experimental-strip-types",
        values={TEXT: "-ep --eval --print"},
        named="-ep --eval --print",
        first=(THERE,),
        operands=ARGUMENT,
        style="ordered",
        project=True,
    ),
    verb("ruby", "-w", first=(THERE,), operands=ARGUMENT, style="ordered", project=True),
    verb("php", first=(THERE,), operands=ARGUMENT, style="ordered", project=True),
    verb(
        "deno test",
        "--no-check --fail-fast --parallel --coverage --no-run",
        values={EXPRESSION: "--filter"},
        operands=FILE,
        project=True,
    ),
    verb("deno task", "-q --quiet", first=(TASK,), operands=ARGUMENT, style="ordered", project=True),
    *(
        verb(f"deno {one}", "-q --quiet --fix --check --all", operands=FILE, project=True)
        for one in ("lint", "fmt", "check")
    ),
    verb(
        "deno run", "--no-check --no-prompt --watch", first=(THERE,), operands=ARGUMENT, style="ordered", project=True
    ),
)
