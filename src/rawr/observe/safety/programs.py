"""The programs that only read, each with the list of what it may be given (C10).

A program is here if nothing on its list can run another program, write a file, reach the network or follow symlinks out
of the workspace. The order is that of a reference book; adding one means reading its manual with those four in mind.
"""

import os
import re

from rawr.observe.safety.arguments import Call, Check, Spec, judge, read_arguments, spec
from rawr.observe.safety.awk import judge_awk
from rawr.observe.safety.find import judge_find
from rawr.observe.safety.judgment import shown
from rawr.observe.safety.lexer import Word
from rawr.observe.safety.sed import judge_sed

_JQ_REFUSED = re.compile(r"\benv\b|ENV|\b(?:import|include|input_filename|modulemeta|get_search_list|halt_error)\b")


def _jq_text(text: str) -> list[str]:
    return [f"The jq filter {shown(text)} may read more than its input."] if _JQ_REFUSED.search(text) else []


_GREP = spec(
    "-EFGPabcHhiIlLnoqrsTvwxyzZ --recursive --ignore-case --line-number --files-with-matches --files-without-match "
    "--count --word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp --basic-regexp --invert-match "
    "--only-matching --no-filename --with-filename --quiet --silent --no-messages --text --null --line-buffered "
    "--initial-tab --byte-offset --no-ignore-case",
    text="-e --regexp -m --max-count -A --after-context -B --before-context -C --context --include --exclude "
    "--exclude-dir --binary-files --label",
    read="-f --file --exclude-from",
    optional="--color --colour",
    first=("text",),
    numeric=True,
    replaces_first="-e --regexp -f --file",
)
_FD = spec(
    "-HIuisaFgp01q --hidden --no-ignore --unrestricted --ignore-case --case-sensitive --absolute-path --fixed-strings "
    "--glob --full-path --print0 --quiet --no-ignore-vcs --one-file-system --strip-cwd-prefix",
    text="-t --type -e --extension -d --max-depth --min-depth --exact-depth -E --exclude --max-results -S --size "
    "--changed-within --changed-before -c --color -j --threads",
    first=("text",),
)
_SUMS = spec("-bt --binary --text --tag -z --zero")
_LINES = spec("-qvz --quiet --silent --verbose", text="-n --lines -c --bytes", numeric=True)

SPECS: dict[str, Spec] = {
    "arch": spec(most=0),
    "b2sum": _SUMS,
    "basename": spec("-az --multiple --zero", text="-s --suffix", operands="text"),
    "cat": spec("-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank"),
    "cksum": spec(),
    "cmp": spec("-bls --print-bytes --verbose --quiet --silent", number="-n --bytes -i --ignore-initial", most=2),
    "column": spec("-tx --table", text="-s -o -c -N -H -R --separator --output-separator --table-columns"),
    "comm": spec("-123iz --check-order --nocheck-order --total", text="--output-delimiter", most=2),
    "cut": spec(
        "-nsz --complement --only-delimited",
        text="-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
    ),
    "date": spec("-uRI --utc --rfc-email", optional="-I --iso-8601", operands="text", most=1),
    "df": spec("-ahHiklPT --human-readable --total --inodes", text="-t -x --type"),
    "dirname": spec("-z --zero", operands="text"),
    "du": spec(
        "-0abchkmsSx --all --apparent-size --bytes --total --human-readable --summarize",
        text="-d --max-depth --exclude -t --threshold",
        optional="--time",
    ),
    "egrep": _GREP,
    "expand": spec("-i --initial", text="-t --tabs"),
    "expr": spec(operands="text"),
    "fd": _FD,
    "fdfind": _FD,
    "fgrep": _GREP,
    "file": spec("-0bhikNpr --brief --mime --mime-type --mime-encoding --no-dereference", text="-F --separator"),
    "fmt": spec("-cstu --split-only --uniform-spacing", text="-w --width -p --prefix"),
    "fold": spec("-bs --bytes --spaces", text="-w --width"),
    "free": spec("-bhkmgtw --human --total --wide", most=0),
    "grep": _GREP,
    "head": _LINES,
    "hexdump": spec("-bCcdovx", number="-n -s"),
    "id": spec("-Ggnru", most=0),
    "join": spec("-iz --header", text="-1 -2 -a -e -j -o -t -v", most=2),
    "jq": spec(
        "-acCejMnrRsS --compact-output --raw-output --raw-input --null-input --slurp --sort-keys --exit-status "
        "--monochrome-output --color-output --join-output --tab --ascii-output --stream --seq",
        number="--indent",
        first=("text",),
        texts=_jq_text,
    ),
    "ls": spec(
        "-1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ --all --almost-all --human-readable --recursive --reverse --size "
        "--directory --inode --classify --group-directories-first --full-time --no-group --numeric-uid-gid --si",
        text="-I --ignore --sort --time --time-style --format --block-size --hide -w --width",
        optional="--color --classify --hyperlink",
    ),
    "md5sum": _SUMS,
    "nl": spec("-p", text="-b -d -f -h -i -l -n -s -v -w --body-numbering --number-format --number-width"),
    "nproc": spec("--all", most=0),
    "od": spec("-abcdfilosxv", text="-A -j -N -S -t --address-radix --format --read-bytes --skip-bytes"),
    "paste": spec("-sz --serial", text="-d --delimiters"),
    "readlink": spec("-efmnqsvz --canonicalize --no-newline"),
    "realpath": spec("-ezmqsLP --canonicalize-existing --canonicalize-missing", read="--relative-to --relative-base"),
    "rev": spec(),
    "rg": spec(
        "-abcFHiIlnNopPqsSuUvVwx0. --count --count-matches --files --files-with-matches --files-without-match "
        "--fixed-strings --heading --no-heading --hidden --ignore-case --invert-match --json --line-number "
        "--no-line-number --multiline --multiline-dotall --no-filename --with-filename --no-ignore --no-ignore-vcs "
        "--no-messages --null --only-matching --pcre2 --quiet --smart-case --case-sensitive --stats --trim --type-list "
        "--unrestricted --vimgrep --word-regexp --line-regexp --column --no-config --text --passthru --crlf "
        "--no-ignore-parent --no-require-git --one-file-system --no-column --version",
        text="-A --after-context -B --before-context -C --context -d --max-depth -e --regexp -g --glob --iglob -m "
        "--max-count -M --max-columns -r --replace -t --type -T --type-not --color --colors --sort --sortr -E "
        "--encoding --max-filesize -j --threads --engine",
        read="-f --file --ignore-file",
        first=("text",),
        replaces_first="-e --regexp -f --file --files --type-list",
    ),
    "seq": spec("-w --equal-width", text="-f -s --format --separator", operands="number"),
    "sha1sum": _SUMS,
    "sha224sum": _SUMS,
    "sha256sum": _SUMS,
    "sha384sum": _SUMS,
    "sha512sum": _SUMS,
    "shasum": spec("-bt", number="-a --algorithm"),
    "sleep": spec(operands="number"),
    "sort": spec(
        "-bcCdfghiMmnRrsuVz --numeric-sort --reverse --unique --human-numeric-sort --version-sort --ignore-case "
        "--stable --check --zero-terminated --general-numeric-sort --dictionary-order",
        text="-k --key -t --field-separator",
    ),
    "stat": spec("-Lfx --dereference --file-system --terse", text="-c --format --printf"),
    "strings": spec("-afo --all --print-file-name", text="-n --bytes -t --radix -e --encoding"),
    "tac": spec("-br --before --regex", text="-s --separator"),
    "tail": _LINES,
    "tr": spec("-cCdst --complement --delete --squeeze-repeats --truncate-set1", operands="text", most=2),
    "tree": spec(
        "-adfhinpsugDFCQ --dirsfirst --du --gitignore --noreport --prune --si --filesfirst",
        text="-L -I -P --charset --filelimit --timefmt",
    ),
    "uname": spec("-amnoprsv --all --machine --kernel-name --kernel-release --operating-system", most=0),
    "unexpand": spec("-a --all --first-only", text="-t --tabs"),
    # What it is given second, it writes.
    "uniq": spec(
        "-cdDiuz --count --repeated --ignore-case --unique", text="-f -s -w --skip-fields --skip-chars", most=1
    ),
    "uptime": spec("-ps --pretty --since", most=0),
    "wc": spec("-clLmw --bytes --chars --lines --max-line-length --words"),
    "which": spec("-a --all", operands="text"),
    "whoami": spec(most=0),
    "xxd": spec("-abeipu", text="-c -g -l -o -s", most=1),
}


def _date(call: Call) -> list[str]:
    """Any operand but a format sets the clock."""
    operands = read_arguments(call, SPECS["date"]).operands
    return [
        f"`date` with {shown(word.raw)} may set the clock."
        for word in operands
        if not (word.text or "+").startswith("+")
    ]


def _rg(call: Call) -> list[str]:
    config = call.places.around.variables.get("RIPGREP_CONFIG_PATH")
    inside = config is not None and call.places.holds(os.path.realpath(config))
    return ["The configuration of rg is in the workspace."] if inside else []


_DIFF = spec(
    "-abBcdiNqstTuwyZ --brief --unified --side-by-side --ignore-all-space --ignore-blank-lines --ignore-case --minimal "
    "--ignore-space-change --report-identical-files --suppress-common-lines --text --new-file --strip-trailing-cr",
    text="-U -C -W -I --width --label --ignore-matching-lines --context",
    optional="--color --unified --context",
    most=2,
)


def _diff(call: Call) -> list[str]:
    """Of two folders it would compare what symlinks in them lead to."""
    problems = judge(call, _DIFF)
    for word in read_arguments(call, _DIFF).operands:
        if word.shape or any((folder / (word.text or "")).is_dir() for folder in call.folders):
            problems.append(f"{shown(word.raw)} may be a folder, whose links diff would follow.")
    return problems


_VERSION_OF = {
    "bash": "--version", "cc": "--version", "clang": "--version", "cmake": "--version", "g++": "--version",
    "gcc": "--version", "make": "--version", "node": "--version -v", "perl": "--version -v", "python": "--version -V",
    "python3": "--version -V",
}  # fmt: skip
"""Programs whose version can be asked without any file of the project having a say. cargo, go, yarn and others look
for the version of themselves that the project wants, and run that."""


def only_version(call: Call) -> bool:
    return len(call.words) == 1 and call.texts()[0] in _VERSION_OF.get(call.name, "").split()


def _tar(call: Call) -> list[str]:
    """``tar tf x`` is ``tar -tf x``."""
    letters = call.words[0] if call.words else None
    if letters is not None and re.fullmatch(r"[tvzjJf]+", letters.text or ""):
        call = Call(
            call.name, (Word(f"-{letters.text}", letters.at, letters.raw), *call.words[1:]), call.places, call.folders
        )
    return _listing(call, _TAR, "-t")


def _listing(call: Call, allowed: Spec, needed: str) -> list[str]:
    problems = judge(call, allowed)
    read = read_arguments(call, allowed)
    if not read.has(needed):
        problems.append(f"{shown(call.name)} without {shown(needed)} writes files.")
    if any(":" in (value.text or "") for _, value in read.given if value is not None):
        problems.append("A name with a colon may be another machine's.")
    return problems


_TAR = spec("-tvzjJ", read="-f", operands="text")
_UNZIP = spec("-lvq")

CHECKS: dict[str, Check] = {
    "awk": judge_awk,
    "date": _date,
    "diff": _diff,
    "find": judge_find,
    "gawk": judge_awk,
    "mawk": judge_awk,
    "rg": _rg,
    "sed": judge_sed,
    "tar": _tar,
    "unzip": lambda call: _listing(call, _UNZIP, "-l"),
}
"""Programs whose arguments mean more than a list can say."""


def judge_program(call: Call) -> list[str] | None:
    """Why a call of a program that reads is not safe; ``None`` if the program is not known."""
    if only_version(call):
        return []
    known = call.name in SPECS or call.name in CHECKS
    if not known:
        return None
    problems = judge(call, SPECS[call.name]) if call.name in SPECS else []
    return problems + (CHECKS[call.name](call) if call.name in CHECKS else [])
