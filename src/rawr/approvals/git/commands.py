"""The git commands that only read, each with the list of its options (C10).

git accepts abbreviated options, and options of the diff machinery nearly everywhere, so each list is closed. Left out
on purpose: options that write (``--output``), run a program (``--ext-diff``, ``--textconv``, ``-O``, signatures), read
other files (``--no-index``, ``--file``) or enter submodules. A subcommand (``stash list``) comes right after its
command: elsewhere the same word may be a value, a path or a name.
"""

from collections.abc import Callable

from msgspec import Struct

from rawr.approvals.git.formats import unsafe_format, unsafe_group, unsafe_ref_format, unsafe_ref_key
from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Read, Spec, spec
from rawr.approvals.programs.costs import costly_expression, costly_format, costly_width

_DIFF_FLAGS = (
    "--stat --numstat --shortstat --name-only --name-status --patch --no-patch --raw --summary --compact-summary "
    "--cached --staged --no-color --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines "
    "--no-ext-diff --no-textconv --no-renames --full-index --text --exit-code --quiet --check --minimal --histogram "
    "--patience --relative --no-prefix --function-context --merge-base --binary --patch-with-stat --find-copies-harder "
    "-p -u -s -w -b -a -z -q -W -R -r -t"
)
_DIFF_TEXT = "-S --diff-filter --diff-algorithm"
_DIFF_REGEX = "-G"
_DIFF_NUMBER = "--inter-hunk-context"
_DIFF_OPTIONAL = (
    "--stat --color --color-words --word-diff --abbrev --find-renames --find-copies -M -C -B -U --unified --dirstat "
    "--ignore-submodules"
)
_LOG_FLAGS = (
    "--oneline --graph --all --branches --tags --remotes --merges --no-merges --first-parent --reverse --topo-order "
    "--date-order --author-date-order --follow --abbrev-commit --no-abbrev-commit --left-right --cherry-pick --cherry "
    "--source --full-history --simplify-merges --no-decorate --count --objects --boundary --walk-reflogs --root --cc "
    "--name-only --no-notes --regexp-ignore-case --extended-regexp --fixed-strings --all-match --invert-grep "
    "--ancestry-path --dense --sparse --show-pulls --parents --children --timestamp --no-walk --left-only --right-only "
    "-i -E -F -m -c -g --relative-date"
)
_LOG_TEXT = "--since --until --after --before --date --exclude --glob --encoding --format"
_LOG_REGEX = "--author --committer --grep -L"
_LOG_NUMBER = "-n --max-count --skip"
_LOG_OPTIONAL = "--pretty --decorate --branches --tags --remotes --min-parents --max-parents"
_FORMATS = {
    "--format": unsafe_format,
    "--pretty": unsafe_format,
    "--date": costly_format,
    "--stat": costly_width,
}
_REF_FORMATS = {"--format": unsafe_ref_format, "--sort": unsafe_ref_key, "--column": costly_width}


def _log_spec() -> Spec:
    return spec(
        f"{_DIFF_FLAGS} {_LOG_FLAGS}",
        text=f"{_DIFF_TEXT} {_LOG_TEXT}",
        regex=f"{_DIFF_REGEX} {_LOG_REGEX}",
        number=f"{_DIFF_NUMBER} {_LOG_NUMBER}",
        optional=f"{_DIFF_OPTIONAL} {_LOG_OPTIONAL}",
        lettered="-SGL",
        operands="text",
        numeric=True,
        joins="none",
        checks=_FORMATS,
    )


def _diff_spec(flags: str = "", *, text: str = "", optional: str = "") -> Spec:
    return spec(
        f"{_DIFF_FLAGS} {flags}",
        text=f"{_DIFF_TEXT} {text}",
        regex=_DIFF_REGEX,
        number=_DIFF_NUMBER,
        optional=f"{_DIFF_OPTIONAL} {optional}",
        lettered="-SG",
        operands="text",
        numeric=True,
        joins="none",
        checks=_FORMATS,
    )


class Reading(Struct, frozen=True):
    """A command, the arguments that it may have, and the checks that remain."""

    allowed: Spec
    further: Callable[[Read], list[str]] | None = None
    words: Callable[[tuple[str, ...]], list[str]] | None = None
    """Checks the words as they are written."""
    needs_repository: bool = True


def _no_operands_unless(*listing: str) -> Callable[[Read], list[str]]:
    def check(read: Read) -> list[str]:
        if read.operands and not read.has(*listing):
            return [f"With the name {shown(read.operands[0].raw)} it creates or changes something."]
        return []

    return check


def _reflog(words: tuple[str, ...]) -> list[str]:
    """``show`` is the default. Any other word may be a subcommand, wherever it is."""
    if words[:1] == ("show",):
        return []
    others = [word for word in words if not word.startswith(("-", "HEAD")) and not word.isdecimal()]
    return [f"`reflog` with {shown(word)} may write." for word in others]


def _behind(*names: str, alone: frozenset[str] | None = None) -> Callable[[tuple[str, ...]], list[str]]:
    """Subcommands: one of ``names`` comes first, or there are only options from ``alone``, if given."""

    def check(words: tuple[str, ...]) -> list[str]:
        if words[:1] in {(name,) for name in names} or (alone is not None and alone.issuperset(words)):
            return []
        return [f"{shown(words[0] if words else 'nothing')} is not one of its read-only commands."]

    return check


_CONFIG_KEYS = ("user.", "core.", "remote.", "branch.", "init.", "pull.", "push.", "diff.", "merge.")


def _config(read: Read) -> list[str]:
    """The command reads a single setting, and none that may hold a secret."""
    key = (read.operands[0].text or "") if read.operands else ""
    if len(read.operands) != 1 or not read.has("--get", "--get-all"):
        return ["`git config` only reads with --get and the name of one setting."]
    return [] if key.lower().startswith(_CONFIG_KEYS) else [f"The setting {shown(key)} may hold a secret."]


def _at_most(count: int) -> Callable[[Read], list[str]]:
    return lambda read: [] if len(read.operands) <= count else ["It has more arguments than it needs to read."]


def _grep(read: Read) -> list[str]:
    """Perl's expressions backtrack."""
    if not read.has("-P", "--perl-regexp"):
        return []
    given = [value.text for option, value in read.given if option == "-e" and value is not None]
    texts = given or [word.text for word in read.operands[:1]]
    return [problem for text in texts for problem in costly_expression(text or "", tries=True)]


_REFS = "--contains --no-contains --merged --no-merged --points-at --sort --format"

COMMANDS: dict[str, Reading] = {
    "blame": Reading(
        spec(
            "-lstcfnewbp --show-email --line-porcelain --porcelain --root",
            text="--since --date",
            regex="-L",
            optional="-M -C --abbrev",
            lettered="-L",
            operands="text",
            checks={"--date": costly_format},
        )
    ),
    "branch": Reading(
        spec(
            "-arv --all --remotes --verbose --list --show-current --no-color --ignore-case",
            text=_REFS,
            optional="--color --abbrev --column",
            operands="text",
            checks=_REF_FORMATS,
        ),
        _no_operands_unless("--list"),
    ),
    "cat-file": Reading(spec("-ptse", operands="text")),
    "check-attr": Reading(spec("-az --all", operands="text")),
    "check-ignore": Reading(spec("-qvnz --quiet --verbose --non-matching --no-index", operands="text")),
    "cherry": Reading(spec("-v", optional="--abbrev", operands="text")),
    "config": Reading(spec("--get --get-all --show-origin --show-scope --local --null", operands="text"), _config),
    "count-objects": Reading(spec("-vH --verbose --human-readable", operands="text", most=0)),
    "describe": Reading(
        spec(
            "--all --tags --long --always --first-parent",
            text="--match --exclude",
            number="--candidates",
            optional="--dirty --abbrev",
            operands="text",
        )
    ),
    "diff": Reading(_diff_spec()),
    "diff-files": Reading(_diff_spec()),
    "diff-index": Reading(_diff_spec("-m")),
    "diff-tree": Reading(_diff_spec("--no-commit-id --root --cc -c -m -v", text="--format", optional="--pretty")),
    "for-each-ref": Reading(spec("--ignore-case", text=_REFS, number="--count", operands="text", checks=_REF_FORMATS)),
    "grep": Reading(
        spec(
            "-iIlLcnqvwhHEFGPopWza --cached --untracked --count --name-only --files-with-matches --files-without-match "
            "--line-number --ignore-case --word-regexp --extended-regexp --fixed-strings --perl-regexp --invert-match "
            "--heading --break --no-color --full-name --and --or --not --all-match --column --only-matching "
            "--show-function --quiet --text",
            regex="-e",
            number="-A -B -C -m --after-context --before-context --context --max-depth --max-count --threads",
            optional="--color",
            lettered="-e",
            first=("regex",),
            operands="text",
            replaces_first="-e",
        ),
        _grep,
    ),
    "log": Reading(_log_spec()),
    "ls-files": Reading(
        spec(
            "-cdmosuktvz --cached --deleted --modified --others --stage --unmerged --killed --exclude-standard "
            "--full-name --error-unmatch --directory --no-empty-directory --eol --deduplicate --ignored -i",
            text="-x --exclude",
            optional="--abbrev",
            lettered="-x",
            operands="text",
        )
    ),
    "ls-tree": Reading(
        spec("-drtlz --long --name-only --name-status --full-name --full-tree", optional="--abbrev", operands="text")
    ),
    "merge-base": Reading(spec("-a --all --octopus --is-ancestor --independent --fork-point", operands="text")),
    "name-rev": Reading(spec("--tags --all --always --name-only", text="--refs --exclude", operands="text")),
    "reflog": Reading(_log_spec(), words=_reflog),
    "remote": Reading(
        spec("-v --verbose --all --push", operands="text", most=2),
        words=_behind("get-url", alone=frozenset({"-v", "--verbose"})),
    ),
    "rev-list": Reading(_log_spec()),
    "rev-parse": Reading(
        spec(
            "--show-toplevel --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir "
            "--is-bare-repository --is-shallow-repository --show-prefix --show-cdup --verify --quiet -q --symbolic "
            "--symbolic-full-name --all --branches --tags --remotes --show-superproject-working-tree --revs-only "
            "--no-revs --flags --no-flags",
            optional="--short --abbrev-ref --show-object-format",
            operands="text",
        )
    ),
    "shortlog": Reading(
        spec(
            "-nsec --numbered --summary --email --committer --all --no-merges --merges",
            text="--since --until --after --before --group --format",
            regex="--author",
            operands="text",
            joins="flags",
            checks={**_FORMATS, "--group": unsafe_group},
        )
    ),
    "show": Reading(_log_spec()),
    "show-branch": Reading(spec("-ar --all --remotes --list --current --no-name --sha1-name", operands="text")),
    "show-ref": Reading(
        spec(
            "-dqs --head --heads --tags --branches --dereference --verify --quiet",
            optional="--hash --abbrev",
            operands="text",
        )
    ),
    "stash": Reading(_log_spec(), words=_behind("list", "show")),
    "status": Reading(
        spec(
            "-sbvz --short --branch --long --verbose --ignored --show-stash --ahead-behind --no-ahead-behind "
            "--no-renames --no-column",
            optional="--porcelain --untracked-files -u --ignored --ignore-submodules --find-renames --column",
            lettered="-u",
            operands="text",
            checks={"--column": costly_width},
        )
    ),
    "symbolic-ref": Reading(spec("-q --short --quiet", operands="text"), _at_most(1)),
    "tag": Reading(
        spec(
            "-l --list --no-color --ignore-case",
            text=_REFS,
            optional="-n --color --column",
            operands="text",
            checks=_REF_FORMATS,
        ),
        _no_operands_unless("-l", "--list", "--contains", "--points-at", "--merged", "-n"),
    ),
    "version": Reading(spec("--build-options", most=0), needs_repository=False),
    "worktree": Reading(spec("--porcelain -v -z", operands="text", most=1), words=_behind("list")),
}
