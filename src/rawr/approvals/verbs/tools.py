"""Test runners, linters, type checkers and formatters (C10). They load settings, plugins and code of the workspace by
nature: a rule opens just that. Their lists still have no option that takes settings, plugins or code from elsewhere.

They are known by their own names, and behind what starts them: ``npx jest``, ``uv run pytest``, ``python -m mypy``.
"""

from rawr.approvals.verbs.kinds import (
    ARGUMENT,
    CHANGED,
    EXPRESSION,
    FILE,
    NAME,
    NAMES,
    NODE,
    NUMBER,
    TARGET,
    TASK,
    checked,
    either,
    number_or,
    one_of,
)
from rawr.approvals.verbs.verb import Kind, Verb, verb

_COLOR = one_of("auto always never yes no true false")
_OFF = checked(
    "no:PLUGIN", lambda text, call: [] if text.startswith("no:") else ["A plugin may be named only to leave it out."]
)
_REPORT: Kind = checked(
    "a report of coverage",
    lambda text, call: (
        []
        if text.partition(":")[0] in ("term", "term-missing", "") and "/" not in text
        else CHANGED.check(text.partition(":")[2] or "coverage", call)
    ),
)

TOOLS: tuple[Verb, ...] = (
    verb(
        "pytest",
        "-qvxsl --quiet --verbose --exitfirst --capture-no --showlocals --last-failed --lf --failed-first "
        "--ff --new-first --nf "
        "--stepwise --sw --stepwise-skip --collect-only --co --no-header --no-summary --disable-warnings "
        "--strict-markers "
        "--strict-config --no-cov --runxfail --setup-show --setup-only --fixtures --markers --cache-clear --full-trace "
        "--disable-pytest-warnings --doctest-modules --cov-append --cov-branch --forked --benchmark-disable "
        "--benchmark-skip "
        "--snapshot-update --durations-min --strict --version -V",
        values={
            EXPRESSION: "-km --deselect",
            NUMBER: "--maxfail --durations --timeout --reruns --reruns-delay --verbosity --count --cov-fail-under",
            number_or("auto logical"): "-n --numprocesses",
            NAME: "-r --dist --log-level --log-cli-level --show-capture --asyncio-mode",
            one_of("auto long short line native no"): "--tb",
            one_of("fd sys no tee-sys"): "--capture",
            _COLOR: "--color",
            _OFF: "-p",
            NODE: "--ignore",
            CHANGED: "--junitxml --junit-xml",
            one_of("prepend append importlib"): "--import-mode",
            _REPORT: "--cov-report",
            one_of("ignore error default always once"): "-W",
        },
        optional={FILE: "--cov"},
        operands=NODE,
        project=True,
    ),
    verb(
        "unittest",
        "-vqfbc --verbose --quiet --failfast --buffer --locals",
        values={EXPRESSION: "-k", NAME: "-p --pattern", FILE: "-s --start-directory -t --top-level-directory"},
        operands=TARGET,
        project=True,
    ),
    verb(
        "tox",
        "-qvr --quiet --verbose --recreate --skip-missing-interpreters",
        values={NAMES: "-e"},
        first=(TASK,),
        operands=NAME,
        tail=ARGUMENT,
        project=True,
    ),
    verb(
        "nox",
        "-rRv --reuse-existing-virtualenvs --list",
        values={NAMES: "-s -e --session --sessions"},
        operands=NAME,
        tail=ARGUMENT,
        project=True,
    ),
    verb(
        "pre-commit run",
        "-av --all-files --verbose --show-diff-on-failure",
        values={FILE: "--files", NAME: "--hook-stage --from-ref --to-ref"},
        first=(NAME,),
        operands=FILE,
        project=True,
    ),
    verb("coverage report", "-m --show-missing --skip-covered", values={NUMBER: "--fail-under"}, project=True),
    verb(
        "mypy",
        "--strict --no-incremental --pretty --show-error-codes --ignore-missing-imports --install-types "
        "--no-error-summary "
        "--warn-unused-ignores --non-interactive --show-error-context --explicit-package-bases --namespace-packages",
        values={NAME: "-pm --package --module --python-version --follow-imports"},
        operands=FILE,
        project=True,
    ),
    verb(
        "pyright",
        "--stats --verbose --warnings --outputjson",
        values={NAME: "--level --pythonversion", FILE: "-p --project"},
        operands=FILE,
        project=True,
    ),
    verb(
        "ruff check",
        "-qvnw --fix --unsafe-fixes --no-fix --diff --quiet --show-fixes --no-cache --statistics --watch "
        "--exit-zero --preview --show-files",
        values={NAMES: "--select --ignore --extend-select --output-format --target-version"},
        operands=FILE,
        project=True,
    ),
    verb(
        "ruff format",
        "-q --check --diff --quiet --no-cache --preview",
        values={NUMBER: "--line-length"},
        operands=FILE,
        project=True,
    ),
    verb(
        "black",
        "-qvS --check --diff --quiet --verbose --color --fast --safe --preview",
        values={NUMBER: "-l --line-length", NAME: "-t --target-version"},
        operands=FILE,
        project=True,
    ),
    verb("isort", "-cq --check-only --check --diff --quiet", values={NAME: "--profile"}, operands=FILE, project=True),
    verb(
        "flake8",
        "-qv --count --statistics --show-source",
        values={NAMES: "--select --ignore --extend-ignore", NUMBER: "--max-line-length --max-complexity"},
        operands=FILE,
        project=True,
    ),
    verb(
        "pylint",
        "-Ev --errors-only",
        values={NAMES: "-de --disable --enable", NUMBER: "-j --jobs --fail-under"},
        operands=FILE,
        project=True,
    ),
    verb("lint-imports", "-v --verbose", project=True),
    verb(
        "jest",
        "-iobu --ci --runInBand --coverage --no-coverage --watchAll=false --watch=false --silent --verbose --bail "
        "--onlyChanged --passWithNoTests --updateSnapshot --detectOpenHandles --forceExit --listTests "
        "--no-cache --colors",
        values={
            EXPRESSION: "-t --testNamePattern --testPathPattern --testPathPatterns",
            NUMBER: "-w --maxWorkers --testTimeout --shard",
            FILE: "--findRelatedTests --runTestsByPath",
        },
        operands=NODE,
        project=True,
    ),
    verb(
        "vitest",
        (
            "-u --run --coverage --no-coverage --watch=false --silent --update --passWithNoTests --no-color "
            "--no-watch --typecheck"
        ),
        values={
            EXPRESSION: "-t --testNamePattern",
            NUMBER: "--bail --testTimeout --retry",
            NAME: "--reporter --project --pool",
        },
        first=(either(one_of("run related bench list"), NODE),),
        operands=NODE,
        project=True,
    ),
    verb(
        "mocha",
        "-bcw --bail --parallel --recursive --exit --no-color",
        values={EXPRESSION: "-gf --grep --fgrep", NUMBER: "-tj --timeout --jobs --retries", NAME: "-R --reporter"},
        operands=NODE,
        project=True,
    ),
    verb(
        "playwright test",
        "-xu --headed --last-failed --list --update-snapshots --forbid-only --pass-with-no-tests",
        values={
            EXPRESSION: "-g --grep --grep-invert",
            NUMBER: "-j --workers --retries --timeout --repeat-each --max-failures",
            NAME: "--project --reporter",
        },
        operands=NODE,
        project=True,
    ),
    verb(
        "eslint",
        "--fix --quiet --cache --no-color --color --no-warn-ignored --report-unused-disable-directives "
        "--no-inline-config "
        "--fix-dry-run --debug --no-error-on-unmatched-pattern",
        values={
            NUMBER: "--max-warnings",
            NAMES: "--ext",
            EXPRESSION: "--rule",
            one_of("stylish json html compact unix json-with-metadata"): "-f --format",
        },
        operands=FILE,
        project=True,
    ),
    verb(
        "prettier",
        "-wclu --write --check --list-different --ignore-unknown --no-color --cache",
        values={NAME: "--log-level --loglevel --parser --end-of-line"},
        operands=FILE,
        project=True,
    ),
    verb(
        "biome",
        "--write --unsafe --fix --no-errors-on-unmatched --staged --changed",
        first=(one_of("check lint format ci"),),
        operands=FILE,
        project=True,
    ),
    verb("stylelint", "--fix --quiet --cache", values={NUMBER: "--max-warnings"}, operands=FILE, project=True),
    verb(
        "tsc",
        "-wbv --noEmit --watch --build --pretty --skipLibCheck --strict --incremental --listFiles "
        "--listFilesOnly --verbose "
        "--force --clean --dry --showConfig --noErrorTruncation --emitDeclarationOnly --esModuleInterop "
        "--allowJs --checkJs",
        values={
            FILE: "-p --project",
            CHANGED: "--outDir --declarationDir --tsBuildInfoFile",
            NAME: "--target -t --module -m --jsx",
        },
        operands=either(FILE, one_of("true false")),
        project=True,
    ),
    verb("vue-tsc", "-b --noEmit --build --skipLibCheck", values={FILE: "-p --project"}, operands=FILE, project=True),
    verb("svelte-check", "--fail-on-warnings", values={FILE: "--tsconfig", NAME: "--threshold --output"}, project=True),
    verb(
        "next",
        "--turbo --turbopack",
        values={NUMBER: "-p --port"},
        first=(one_of("build lint dev start info"),),
        project=True,
    ),
    verb(
        "vite",
        "",
        values={NUMBER: "--port", NAME: "-m --mode"},
        first=(one_of("build dev preview optimize"),),
        project=True,
    ),
    verb(
        "rspec",
        "-bf --backtrace --fail-fast --no-color",
        values={EXPRESSION: "-e --example", NAME: "-f --format -t --tag", NUMBER: "--seed"},
        operands=NODE,
        project=True,
    ),
    verb(
        "rubocop",
        "-aAx --autocorrect --autocorrect-all --parallel",
        values={NAMES: "--only --except"},
        operands=FILE,
        project=True,
    ),
    verb("rake", "-qstv --silent --trace", operands=TASK, project=True),
    verb(
        "phpunit",
        "-v --testdox --stop-on-failure --no-coverage --colors",
        values={EXPRESSION: "--filter", NAMES: "--group --testsuite"},
        operands=NODE,
        project=True,
    ),
)
