"""Builders and the runners of a workspace's own tasks (C10): ``make``, ``just``, ``cargo``, ``go``, ``gradle`` …

They run the workspace's files by nature, so a rule opens just that. Nowhere on their lists: another file or folder to
take the tasks from (``-f``, ``-C``, ``--eval``), variables (``make SHELL=…``), another toolchain (``--config``,
``-exec``, ``-toolexec``, ``+nightly``), init scripts and properties (``-I``, ``-D``).
"""

from rawr.approvals.verbs.kinds import (
    ARGUMENT,
    CHANGED,
    EXPRESSION,
    FILE,
    LOCAL,
    MODULE,
    NAME,
    NAMES,
    NUMBER,
    PACKAGE,
    TARGET,
    TASK,
    one_of,
)
from rawr.approvals.verbs.verb import Verb, verb, with_words

_MAKE = verb(
    "make",
    "-knsBirStw --keep-going --dry-run --just-print --silent --quiet --always-make --ignore-errors "
    "--no-print-directory "
    "--print-directory --no-builtin-rules --no-builtin-variables --question -q --trace --warn-undefined-variables",
    optional={NUMBER: "-jl --jobs --load-average", one_of("target line recurse none"): "-O --output-sync"},
    operands=TARGET,
    project=True,
    narrow=True,
)
_CARGO = (
    "-qvr --quiet --verbose --release --workspace --all --all-features --no-default-features --lib --bins "
    "--tests --examples "
    "--benches --all-targets --doc --locked --offline --frozen --no-fail-fast --keep-going --no-run "
    "--future-incompat-report "
    "--no-deps --document-private-items --ignore-rust-version"
)
_CARGO_VALUES = {
    NAME: "-p --package --bin --test --example --bench --exclude --profile --target",
    NAMES: "-F --features",
    NUMBER: "-j --jobs",
    one_of("human short json"): "--message-format",
    one_of("auto always never"): "--color",
    FILE: "--manifest-path",
    CHANGED: "--target-dir",
}
_BUILD = verb("cargo build", _CARGO, values=_CARGO_VALUES, operands=EXPRESSION, tail=ARGUMENT, project=True)
_GO_TEXT = """
    -v -race -x -n -short -json -failfast -a -cover -trimpath -mod=mod -mod=readonly -mod=vendor -buildvcs=false
    """
_GO_FLAGS = " ".join(one if len(one) == 2 else f"-{one}" for one in _GO_TEXT.split())
_GO_VALUES = {
    EXPRESSION: "--run --bench --skip --fuzz",
    NUMBER: "--count --timeout --parallel -p --cpu --benchtime --fuzztime",
    NAMES: "--tags --vet",
    CHANGED: "--coverprofile -o",
    one_of("set count atomic"): "--covermode",
}
_GRADLE = verb(
    "gradle",
    "-qids --quiet --info --debug --stacktrace --no-daemon --daemon --offline --continue --parallel "
    "--no-parallel --rerun-tasks "
    "--build-cache --no-build-cache --console=plain --warn --refresh-dependencies --dry-run -m --configuration-cache",
    values={EXPRESSION: "--tests", TASK: "-x --exclude-task", NUMBER: "--max-workers"},
    operands=TASK,
    project=True,
    narrow=True,
)
_MVN = verb(
    "mvn",
    "-qBUoeX --quiet --batch-mode --offline --errors --no-transfer-progress --update-snapshots --ntp "
    "--fail-at-end --also-make",
    values={NAMES: "--projects -P --activate-profiles", NUMBER: "-T --threads"},
    operands=one_of("clean validate compile test-compile test package verify site"),
    project=True,
    narrow=True,
)

BUILDING: tuple[Verb, ...] = (
    _MAKE,
    with_words("gmake", _MAKE),
    verb("just", "-qlvn --list --quiet --verbose --dry-run --summary", operands=ARGUMENT, project=True),
    verb(
        "task",
        "-lafpsvn --list --list-all --force --parallel --silent --verbose --dry",
        operands=TASK,
        tail=ARGUMENT,
        project=True,
        narrow=True,
    ),
    verb(
        "mise run",
        "-qf --quiet --force",
        first=(TASK,),
        operands=ARGUMENT,
        tail=ARGUMENT,
        style="ordered",
        project=True,
    ),
    verb("ninja", "-vn --verbose --quiet", values={NUMBER: "-jk"}, operands=TARGET, project=True, narrow=True),
    verb(
        "cmake --build",
        "-v --verbose --clean-first",
        values={NUMBER: "--parallel -j", NAME: "--config", TARGET: "-t --target"},
        operands=FILE,
        project=True,
    ),
    verb(
        "ctest",
        "-VQN --output-on-failure --verbose --quiet --rerun-failed",
        values={EXPRESSION: "-RE", NUMBER: "-j --parallel --timeout", NAME: "-C -L", FILE: "--test-dir"},
        project=True,
    ),
    _BUILD,
    *(
        with_words(f"cargo {one}", _BUILD)
        for one in ("check", "test", "run", "clippy", "bench", "doc", "b", "c", "t", "r")
    ),
    with_words("cargo clippy", _BUILD, flags=_BUILD.flags | {"--fix", "--allow-dirty", "--allow-staged"}),
    verb(
        "cargo nextest run",
        _CARGO,
        values={**_CARGO_VALUES, EXPRESSION: "-E", NUMBER: "-j --jobs --retries"},
        operands=EXPRESSION,
        tail=ARGUMENT,
        project=True,
    ),
    verb(
        "cargo fmt",
        "-qv --all --check --quiet --verbose",
        values={NAME: "-p --package"},
        tail=one_of("--check -l"),
        project=True,
    ),
    verb(
        "cargo add",
        "-q --dev --build --optional --no-default-features --quiet --dry-run",
        values={NAMES: "-F --features", NAME: "-p --package --rename"},
        operands=PACKAGE,
        project=True,
    ),
    verb(
        "cargo remove", "-q --dev --build --quiet --dry-run", values={NAME: "-p --package"}, operands=NAME, project=True
    ),
    verb(
        "cargo update",
        "-qvw --workspace --dry-run --quiet --verbose",
        values={NAME: "-p --package --precise"},
        operands=NAME,
        project=True,
    ),
    verb("cargo fetch", "-qv --locked", project=True),
    verb("cargo clean", "-qv --release --doc", values={NAME: "-p --package"}, project=True),
    verb(
        "cargo tree",
        "-di --duplicates --no-dedupe --workspace",
        values={NAME: "-p --package -e --edges", NUMBER: "--depth"},
        project=True,
    ),
    *(
        verb(f"go {one}", _GO_FLAGS, values=_GO_VALUES, operands=LOCAL, style="words", project=True)
        for one in ("test", "build", "vet")
    ),
    verb("go run", _GO_FLAGS, values=_GO_VALUES, first=(LOCAL,), operands=ARGUMENT, style="ordered", project=True),
    verb("go generate", "-v -x -n", operands=LOCAL, style="words", project=True),
    verb("go fmt", "-n -x", operands=LOCAL, style="words"),
    verb("go mod tidy", "-v -e -x", style="words", project=True),
    verb("go mod download", "-x --json", operands=MODULE, style="words", project=True),
    verb("go mod verify", style="words", project=True),
    verb("go get", "-u -t -v -d -x", operands=MODULE, style="words", project=True),
    verb("go list", "-m -u --json --deps", operands=LOCAL, style="words", project=True),
    verb("go version", operands=FILE),
    verb("gofmt", "-ldwse", operands=FILE),
    verb(
        "golangci-lint run",
        "-vn --fix --new --verbose",
        values={NAMES: "-E --enable -D --disable", NUMBER: "--timeout -j --concurrency"},
        operands=LOCAL,
        project=True,
    ),
    _GRADLE,
    _MVN,
    verb(
        "dotnet build",
        "--no-restore --nologo --no-incremental",
        values={NAME: "-c --configuration -f --framework -v --verbosity"},
        operands=FILE,
        project=True,
    ),
    verb(
        "dotnet test",
        "-t --no-restore --no-build --nologo --list-tests",
        values={NAME: "-c --configuration -f --framework -v --verbosity --logger", EXPRESSION: "--filter"},
        operands=FILE,
        project=True,
    ),
    verb("dotnet restore", "--nologo", values={NAME: "-v --verbosity"}, operands=FILE, project=True),
    verb("dotnet format", "--verify-no-changes --no-restore", operands=FILE, project=True),
    verb(
        "mix test",
        "--stale --failed --trace --cover",
        values={NUMBER: "--seed --max-failures", NAME: "--only --exclude"},
        operands=FILE,
        project=True,
    ),
    verb("mix compile", "--force --warnings-as-errors", project=True),
    verb("mix format", "--check-formatted", operands=FILE, project=True),
    verb("mix deps.get", project=True),
    verb("swift build", "-v --verbose", values={NAME: "-c --configuration --product --target"}, project=True),
    verb("swift test", "-v --verbose --parallel --list-tests", values={EXPRESSION: "--filter --skip"}, project=True),
    verb("zig build", "", operands=TASK, project=True, narrow=True),
    verb("bundle install", "--quiet", values={NUMBER: "-j --jobs"}, project=True),
    verb("rails test", "-vbf", operands=FILE, project=True),
    verb("bazel build", "--keep_going -k", values={NUMBER: "-j --jobs"}, operands=EXPRESSION, project=True),
    verb(
        "bazel test",
        "--keep_going -k",
        values={
            NUMBER: "-j --jobs",
            one_of("errors all summary streamed"): "--test_output",
            EXPRESSION: "--test_filter",
        },
        operands=EXPRESSION,
        project=True,
    ),
)
