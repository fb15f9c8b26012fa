"""The programs that only read, each with the arguments that it may have (C10).

A program is here if nothing on its list can run another program, write a file, reach the network or follow symlinks out
of the workspace. The order is alphabetical. To add one, read its manual, and how it parses its command line, with those
four in mind: in GNU's version, in BSD's and in BusyBox's. ``text`` is for options that have a value in all of them,
``word`` for those that have none in some.
"""

import re
import stat
from pathlib import Path

from rawr.approvals.judgment import shown
from rawr.approvals.programs.archives import judge_tar, judge_unzip
from rawr.approvals.programs.arguments import Call, Check, Spec, judge, readings, spec
from rawr.approvals.programs.awk import judge_awk
from rawr.approvals.programs.costs import (
    costly_expression,
    costly_format,
    costly_pattern,
    costly_sequence,
    costly_width,
)
from rawr.approvals.programs.find import judge_find
from rawr.approvals.programs.jq import SPEC as JQ
from rawr.approvals.programs.jq import judge_jq
from rawr.approvals.programs.searching import judge_grep, judge_rg
from rawr.approvals.programs.sed import judge_sed
from rawr.approvals.reading.word import Word
from rawr.approvals.shadows import shadowed

_GREP = spec(
    "-EFGPabcHhiIlLnoqrRsTvwxyzZ --recursive --dereference-recursive --ignore-case --line-number --files-with-matches "
    "--files-without-match --count --word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp "
    "--basic-regexp --invert-match --only-matching --no-filename --with-filename --quiet --silent --no-messages --text "
    "--null --line-buffered --initial-tab --byte-offset --no-ignore-case",
    text="--binary-files --label",
    regex="-e --regexp",
    glob="--include --exclude --exclude-dir",
    number="-m --max-count -A --after-context -B --before-context -C",
    read="-f --file --exclude-from",
    optional="--color --colour --context",
    lettered="-e",
    first=("regex",),
    numeric=True,
    replaces_first="-e --regexp -f --file",
)
_FD = spec(
    "-HIuisaFgp01q --hidden --no-ignore --unrestricted --ignore-case --case-sensitive --absolute-path --fixed-strings "
    "--glob --full-path --print0 --quiet --no-ignore-vcs --one-file-system --strip-cwd-prefix",
    text="-t --type -e --extension -S --size --changed-within --changed-before -c --color",
    glob="-E --exclude",
    number="-d --max-depth --min-depth --exact-depth --max-results -j --threads",
    lettered="-teEc",
    first=("regex",),
    operands="named",
)
_SUMS = spec("-bt --binary --text --tag -z --zero")
_LINES = spec("-qvz --quiet --silent --verbose", number="-n --lines -c --bytes", numeric=True)

SPECS: dict[str, Spec] = {
    "arch": spec(most=0),
    "b2sum": _SUMS,
    "basename": spec("-az --multiple --zero", word="-s --suffix", operands="text"),
    "cat": spec("-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank"),
    "cksum": spec(),
    "cmp": spec("-bls --print-bytes --verbose --quiet --silent", number="-n --bytes -i --ignore-initial"),
    "column": spec(
        "-tx --table",
        text="-s --separator",
        word="-o -N -H -R --output-separator --table-columns",
        width="-c",
    ),
    "comm": spec("-123iz --check-order --nocheck-order --total", word="--output-delimiter"),
    "cut": spec(
        "-nsz --complement --only-delimited",
        text="-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
        lettered="-d",
    ),
    "date": spec("-uRI --utc --rfc-email", optional="-I --iso-8601", lettered="-I", operands="text", most=1),
    "df": spec("-ahHiklPT --human-readable --total --inodes", word="-t -x --type", operands="named"),
    "dirname": spec("-z --zero", operands="text"),
    "du": spec(
        "-0abchkmsSx --all --apparent-size --bytes --total --human-readable --summarize",
        word="--exclude",
        number="-d --max-depth -t --threshold",
        optional="--time",
        operands="named",
    ),
    "egrep": _GREP,
    "expand": spec("-i --initial", word="-t --tabs", checks={"-t": costly_width, "--tabs": costly_width}),
    "expr": spec(operands="regex"),
    "fd": _FD,
    "fdfind": _FD,
    "fgrep": _GREP,
    # Without -p, which resets the times of the files.
    "file": spec("-0bhikNr --brief --mime --mime-type --mime-encoding --no-dereference", word="-F --separator"),
    "fmt": spec("-cstu --split-only --uniform-spacing", word="-p --prefix", width="-w --width"),
    "fold": spec("-bs --bytes --spaces", width="-w --width"),
    "free": spec("-bhkmgtw --human --total --wide", most=0),
    "grep": _GREP,
    "head": _LINES,
    "hexdump": spec("-bCcdovx", number="-n -s"),
    "id": spec("-Ggnru", most=0),
    "join": spec("-iz --header", text="-t", word="-e -o", number="-1 -2 -a -j -v"),
    "jq": JQ,
    "ls": spec(
        "-1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ --all --almost-all --human-readable --recursive --reverse --size "
        "--directory --inode --classify --group-directories-first --full-time --no-group --numeric-uid-gid --si",
        word="-I --ignore --sort --time --time-style --format --block-size --hide",
        width="-w --width",
        optional="--color --classify --hyperlink",
        operands="named",
        checks={**dict.fromkeys(("-I", "--ignore", "--hide"), costly_pattern), "--time-style": costly_format},
    ),
    "md5sum": _SUMS,
    "nl": spec(
        "-p",
        text="-d -n -s --number-format",
        regex="-b -f -h --body-numbering",
        number="-i -l -v",
        width="-w --number-width",
        lettered="-bfhn",
    ),
    "nproc": spec("--all", most=0),
    "od": spec(
        "-abcdfilosxv",
        text="-A -t --address-radix --format",
        number="-j -N --read-bytes --skip-bytes",
        width="-S",
        lettered="-At",
    ),
    "paste": spec("-sz --serial", text="-d --delimiters", lettered="-d"),
    "readlink": spec("-efmnqsvz --canonicalize --no-newline", operands="named"),
    "realpath": spec(
        "-ezmqsLP --canonicalize-existing --canonicalize-missing",
        read="--relative-to --relative-base",
        operands="named",
    ),
    "rev": spec(),
    "rg": spec(
        "-abcFHiIlnNopPqsSuUvVwx0. --count --count-matches --files --files-with-matches --files-without-match "
        "--fixed-strings --heading --no-heading --hidden --ignore-case --invert-match --json --line-number "
        "--no-line-number --multiline --multiline-dotall --no-filename --with-filename --no-ignore --no-ignore-vcs "
        "--no-messages --null --only-matching --pcre2 --quiet --smart-case --case-sensitive --stats --trim --type-list "
        "--unrestricted --vimgrep --word-regexp --line-regexp --column --no-config --text --passthru --crlf "
        "--no-ignore-parent --no-require-git --one-file-system --no-column --version",
        text="-r --replace -t --type -T --type-not --color --colors --sort --sortr -E --encoding",
        regex="-e --regexp",
        glob="-g --glob --iglob",
        number="-A --after-context -B --before-context -C --context --max-depth -m --max-count -M --max-columns "
        "--max-filesize -j --threads",
        read="-f --file --ignore-file",
        lettered="-egrtTE",
        first=("regex",),
        replaces_first="-e --regexp -f --file --files --type-list",
    ),
    "seq": spec(
        "-w --equal-width",
        text="-f -s --format --separator",
        operands="number",
        checks={
            **dict.fromkeys(("-f", "--format"), costly_format),
            **dict.fromkeys(("-s", "--separator"), lambda text: costly_width(str(len(text) * 100))),
        },
    ),
    "sha1sum": _SUMS,
    "sha224sum": _SUMS,
    "sha256sum": _SUMS,
    "sha384sum": _SUMS,
    "sha512sum": _SUMS,
    "shasum": spec("-bt", number="-a --algorithm", joins="none"),
    "sleep": spec(operands="number"),
    "sort": spec(
        "-bcCdfghiMmnRrsuVz --numeric-sort --reverse --unique --human-numeric-sort --version-sort --ignore-case "
        "--stable --check --zero-terminated --general-numeric-sort --dictionary-order",
        text="-k --key -t --field-separator",
        lettered="-t",
    ),
    "stat": spec(
        "-Lfx --dereference --file-system --terse",
        word="-c --format --printf",
        operands="named",
        checks=dict.fromkeys(("-c", "--format", "--printf"), costly_format),
    ),
    "strings": spec("-afo --all --print-file-name", word="-t --radix -e --encoding", width="-n --bytes"),
    "tac": spec(
        "-br --before --regex",
        word="-s --separator",
        checks={"-s": costly_expression, "--separator": costly_expression},
    ),
    "tail": _LINES,
    "tr": spec("-cCdst --complement --delete --squeeze-repeats --truncate-set1", operands="text", most=2),
    "tree": spec(
        "-adfhinpsugDFCQ --dirsfirst --du --gitignore --noreport --prune --si --filesfirst",
        word="-I -P --charset --timefmt",
        number="-L --filelimit",
        joins="flags",
        operands="named",
        checks={"-I": costly_pattern, "-P": costly_pattern, "--timefmt": costly_format},
    ),
    "uname": spec("-amnoprsv --all --machine --kernel-name --kernel-release --operating-system", most=0),
    "unexpand": spec("-a --all --first-only", word="-t --tabs", checks={"-t": costly_width, "--tabs": costly_width}),
    # It writes to its second operand.
    "uniq": spec(
        "-cdDiuz --count --repeated --ignore-case --unique", number="-f -s -w --skip-fields --skip-chars", most=1
    ),
    "uptime": spec("-ps --pretty --since", most=0),
    "wc": spec("-clLmw --bytes --chars --lines --max-line-length --words"),
    "which": spec("-a --all", operands="text"),
    "whoami": spec(most=0),
    # Like uniq. It recognises options by their first letter and ignores the rest of the word.
    "xxd": spec("-abeipu", number="-l -o -s", width="-c -g", most=1, joins="none"),
}


def _date(call: Call) -> list[str]:
    """Any operand except a format sets the clock."""
    operands = [word for read in readings(call, SPECS["date"]) for word in read.operands]
    problems = [
        f"`date` with {shown(word.raw)} may set the clock."
        for word in operands
        if not (word.text or "+").startswith("+")
    ]
    return problems + [problem for word in operands for problem in costly_format(word.text or "")]


def _seq(call: Call) -> list[str]:
    numbers = [[word.text or "" for word in read.operands] for read in readings(call, SPECS["seq"])]
    return [problem for one in numbers for problem in costly_sequence(one)]


def _stat(call: Call) -> list[str]:
    """On a Mac, ``-f`` takes a format."""
    return [problem for text in call.texts() for problem in costly_format(text)]


def _tail(call: Call) -> list[str]:
    """``+`` may be an old form of ``-f``, which never ends."""
    operands = [word for read in readings(call, _LINES) for word in read.operands]
    return [f"{shown(word.raw)} may follow a file." for word in operands if (word.text or "").startswith("+")]


_REPEATED = re.compile(r"\[.[^\]]*\*")


def _tr(call: Call) -> list[str]:
    """``[x*1000000]`` means that many letters."""
    return [f"{shown(word.raw)} repeats a letter." for word in call.words if _REPEATED.search(word.text or "")]


MAX_RG_CONFIG = 64 * 1024


def _rg(call: Call) -> list[str]:
    """Includes the words of its configuration, which come before those of the line."""
    config = call.places.around.variables.get("RIPGREP_CONFIG_PATH")
    if config is None or "--no-config" in call.texts():
        return judge_rg(call, SPECS["rg"])
    if call.places.leads_inside(config):
        return ["The rg configuration is in the workspace."]
    lines = (call.places.look.read(config, MAX_RG_CONFIG) or b"").decode("utf-8", "replace").splitlines()
    words = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    given = tuple(Word(word, 0, word) for word in words)
    whole = Call("rg", (*given, *call.words), call.places, call.folders)
    problems = [f"In the rg configuration: {problem}" for problem in judge(whole, SPECS["rg"])]
    return problems + judge_rg(whole, SPECS["rg"])


def _grep(call: Call) -> list[str]:
    return judge_grep(call, _GREP)


def _strings(call: Call) -> list[str]:
    """binutils replace ``@file`` with the content of the file, including options."""
    return [
        f"{shown(word.raw)} may be a file that contains options."
        for word in call.words
        if (word.text or "").startswith("@")
    ]


def _sort(call: Call) -> list[str]:
    """GNU's sort honours ``-o`` after operands and after ``--`` if the environment asks for POSIX."""
    texts = call.texts()
    behind = texts[texts.index("--") + 1 :] if "--" in texts else ()
    return [f"{shown(one)} may be an option after --." for one in behind if one.startswith("-") and one != "-"]


_DIFF = spec(
    "-abBcdiNqstTuwyZ --brief --unified --side-by-side --ignore-all-space --ignore-blank-lines --ignore-case --minimal "
    "--ignore-space-change --report-identical-files --suppress-common-lines --text --new-file --strip-trailing-cr",
    text="--label",
    regex="-I --ignore-matching-lines",
    number="-U -C",
    width="-W --width",
    optional="--color --unified --context",
    most=2,
)


def _folder(path: str, call: Call, folder: Path) -> bool:
    look = call.places.look
    return look.kind(look.real(path, within=folder)) == stat.S_IFDIR


def _diff(call: Call) -> list[str]:
    """Given two folders, it would compare the targets of symlinks in them."""
    problems = judge(call, _DIFF)
    for word in (word for read in readings(call, _DIFF) for word in read.operands):
        if word.shape or any(_folder(word.text or "", call, folder) for folder in call.folders):
            problems.append(f"{shown(word.raw)} may be a folder, whose links diff would follow.")
    return problems


CHECKS: dict[str, Check] = {
    "awk": judge_awk,
    "date": _date,
    "diff": _diff,
    "egrep": _grep,
    "fgrep": _grep,
    "find": judge_find,
    "gawk": judge_awk,
    "grep": _grep,
    "jq": judge_jq,
    "mawk": judge_awk,
    "rg": _rg,
    "sed": judge_sed,
    "seq": _seq,
    "sort": _sort,
    "stat": _stat,
    "strings": _strings,
    "tail": _tail,
    "tar": judge_tar,
    "tr": _tr,
    "unzip": judge_unzip,
}
"""Programs whose arguments mean more than a list can express."""

HELPERS = {
    "egrep": ("grep",),
    "fgrep": ("grep",),
    "tar": ("gzip", "bzip2", "xz", "lzma", "lzip", "lzop", "zstd", "compress", "uncompress", "lrzip", "grzip"),
}
"""Programs that a program runs by itself. Those must be the system's too."""


_OPTIONS_OF = {
    "tar": ("TAR_OPTIONS",),
    "unzip": ("UNZIP", "UNZIPOPT", "ZIPINFO", "ZIPINFOOPT"),
    "shasum": ("PERL5OPT",),
    "grep": ("GREP_OPTIONS",),
    "egrep": ("GREP_OPTIONS",),
    "fgrep": ("GREP_OPTIONS",),
    "jq": ("JQ_LIBRARY_PATH",),
}
"""Variables with words that a program reads before those of the line."""


def judge_program(call: Call) -> list[str] | None:
    """Why a call of a reading program is not safe; ``None`` if the program is not known."""
    known = call.name in SPECS or call.name in CHECKS
    if not known:
        return None
    problems = judge(call, SPECS[call.name]) if call.name in SPECS else []
    variables = call.places.around.variables
    problems += [
        f"{name} adds options to {shown(call.name)}." for name in _OPTIONS_OF.get(call.name, ()) if name in variables
    ]
    for helper in HELPERS.get(call.name, ()):
        problems += shadowed(helper, call.places, external=True)
    return problems + (CHECKS[call.name](call) if call.name in CHECKS else [])
