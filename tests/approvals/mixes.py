"""Arguments at random: a program's own options and operands, mixed with what an attacker would put between them."""

import random
import re
import shlex
import sys

from rawr.approvals.git.commands import COMMANDS
from rawr.approvals.programs.arguments import Spec, spec
from rawr.approvals.programs.listed import SPECS

BUILD = r"""
printf '#!/bin/sh\necho evil\n' > evil.sh; chmod +x evil.sh; printf -- '-f\n../outside/secret.txt\n' > opts
for name in -n -c -l -a -e -t -d -f -o 5 1 2 10 -1 -5 +1 x.zip; do ln -s ../outside/secret.txt "./$name"; done
PYTHON -c '
import tarfile, zipfile
for kind in ("gz", "xz"):
    with tarfile.open(f"archive.t{kind}", f"w:{kind}") as archive:
        archive.add("README.md")
zipfile.ZipFile("archive.zip", "w").writestr("../in.txt", "x")
'
for name in keep.txt x=y twice 'sh -c evil'; do printf 'keep\n' > "$name"; done
git stash -q
signature='-----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----'
git cat-file commit HEAD | sed "/^committer/a gpgsig $signature" > signed
git update-ref HEAD "$(git hash-object -t commit -w signed)"
""".replace("PYTHON", shlex.quote(sys.executable))
"""Beside what every world has: programs, links out of the workspace that are called as options and numbers are, and
archives; and a commit that is signed, so that git asks gpg about it if it is told to."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(shlex.split(text))


_FILES = _words(
    """
    README.md src/app.py src . notes.txt data.csv package.json archive.tar keep.txt .git/config archive.tgz
    archive.txz archive.zip twice ./src src/*.py sr?/app.py
    """
)
_NUMBERS = _words("0 1 2 5 10 +1 -1 -5 1,2 1-2 0x1")
_HOSTILE = _words(
    """
    - -- -o -oout -O -I -x -i -f -w -e -c -r -L -R -C -F -P -X --output=out --outp=out --pre=evil --exec=evil
    --files0-from=opts --to-command=evil --help @opts evil ./evil.sh 'sh -c evil' out.txt ../outside/secret.txt
    /etc/hostname link-secret link-out .. / x=y host:x * %GG %+GG +x x x.zip ''
    """
)
_LETTERS = "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ0123456789"

_SED = (
    *_words(
        """
    p d q = 1 $ 1,2 /a/ ! s/a/b/ 's|a|b|' g I 'w out' e 'e evil' 'r opts' ';' { } y/a/b/ [ ] / , '|' '#' [/] []/]
    ' ' n N x G '&' '[\\]' '\\'
    """
    ),
    "\n",
)
_AWK = (
    *_words(
        """
    { } print printf '"out"' '>' '>>' '|' '"evil"' getline '$1' / /a/ '(' ')' ';' , NR == 1 system ~ ! [ ] x ++ -
    '<' length % ' ' '&&' '||' ? : BEGIN '"' in if '#' @ = '\\'
    """
    ),
    "\n",
)
_OWN = {
    "find": _words(
        """
    . src -name -path -type -maxdepth -newer -print -ls -delete -exec -ok evil {} ';' + -o -a ! '(' ')' , -size -1
    +1 f d '*.py' 1 -prune -quit -printf %p -fprint -fls out -regex -perm -L -P -H -- -files0-from opts -samefile
    README.md -mtime -D exec -O3 -user root -empty -xdev -depth -d ../outside
    """
    ),
    "tar": _words(
        """
    -tvf -t -v -f t tfv -tfv tzf xf -xf cf tIf -I evil xPf --list --file --file=archive.tar --verbose README.md -C
    --to-command=evil --checkpoint-action=exec=evil -z -j -J -- - ../outside/secret.txt rf uf Af f tff tF -F host:x
    ./evil.sh -O -x -c -P
    """
    ),
    "unzip": _words(
        "-l -v -lq -q -Z -Z1 -o -d -x -p -c -t archive x x.zip in.txt * *.zip a* -- - src -lo -vo -h -1 -T -z -ZT"
    ),
    "jq": _words(
        """
    . .name env '$ENV' input keys include import '"x"' '|' [ ] @sh halt -n -r package.json --arg --rawfile
    --slurpfile -f -L --args a debug input_filename
    """
    ),
    "env": _words("-i -u -S -C LC_ALL=C PATH=. TZ=UTC -- - X=1 -v NO_COLOR=1"),
    "timeout": _words("5 1s -k -s KILL -v --foreground 9 -- -k5 --signal --preserve-status"),
    "nice": _words("-n 5 -n5 -5 --adjustment=5 -- 19"),
    "stdbuf": _words("-oL -o0 -i0 -eL -o L --output=L --output 0 --"),
    "time": _words("-p -o out -a -v -f x --"),
    "command": _words("-p -v -V -- cd src"),
    "nohup": _words("-- -p"),
}
"""What these may be given, and may not."""
_STARTS = {
    "tar": ("tf archive.tar", "-tvf archive.tgz", "-t -f archive.txz", "tvf archive.tar README.md"),
    "unzip": ("-l archive.zip", "-v archive.zip", "-Z1 archive.zip in.txt", "-lq archive"),
    "cp": ("README.md new.txt", "README.md notes.txt src/lib", "-n README.md src/new.txt"),
    "env": ("cat README.md", "LC_ALL=C cat README.md"),
    "timeout": ("5 cat README.md", "-k 5 10 ls"),
    "nice": ("-n 5 cat README.md", "ls"),
    "stdbuf": ("-oL cat README.md", "ls"),
    "time": ("-p cat README.md", "ls"),
    "command": ("cat README.md", "-v ls"),
    "nohup": ("cat README.md",),
    "git config": ("--get user.name",),
    "git stash": ("list", "show", "show -p", "list -p"),
    "git worktree": ("list", "list --porcelain"),
    "git remote": ("-v", "get-url origin"),
    "git reflog": ("show HEAD", "-5", "HEAD"),
    "git branch": ("--list x", "-a", "--contains HEAD"),
    "git tag": ("-l x", "--contains HEAD", "-n"),
    "git symbolic-ref": ("HEAD", "--short HEAD"),
    "git cat-file": ("-p HEAD", "-t HEAD:README.md"),
    "sleep": ("0",),
    "nproc": ("--all",),
}
"""What is fine, and may have something more put in."""

WRITERS = {
    "cp": spec("-nvpfrRaslutTPLHd --no-clobber --verbose --target-directory=src"),
    "mkdir": spec("-pvmZ --parents --verbose --mode=777"),
    "touch": spec("-acmrht --no-create --reference=/etc/hostname", text="-d -t --date"),
}
_MORE = {
    **WRITERS,
    "diff": spec("-abBcdiNqrstTuwyZlF --brief --unified --paginate --to-file=src --color", number="-U -C -W"),
    **dict.fromkeys(
        ("sed", "awk", "gawk", "mawk"),
        spec("-nErsuzi --quiet --posix --in-place --debug", text="-e -f -F -v --expression"),
    ),
}
_WRAPPERS = ("env", "timeout", "nice", "stdbuf", "time", "command", "nohup")
_GIT = {f"git {name}": reading.allowed for name, reading in COMMANDS.items()}
PROGRAMS = tuple(dict.fromkeys((*SPECS, *_MORE, *_OWN, *_GIT)))

_RUN_BY_ITSELF = {
    "egrep": ("sh", "grep"),
    "fgrep": ("sh", "grep"),
    "which": ("sh",),
    "shasum": ("perl",),
    "tar": ("gzip", "xz", "bzip2"),
}
_PATTERN = re.compile(r"[A-Za-z0-9_./-]*[*?][A-Za-z0-9_./*?-]*")


def may_run(program: str) -> tuple[str, ...]:
    """What a line of it starts: itself, and what it is made of."""
    name = program.split()[0]
    return name, *(("cat", "ls") if program in _WRAPPERS else _RUN_BY_ITSELF.get(name, ()))


def mix(program: str, chance: random.Random) -> str:
    """A command line."""
    allowed = _MORE.get(program) or _GIT.get(program) or SPECS.get(program) or spec()
    words = list(_words(chance.choice(_STARTS[program]))) if program in _STARTS and chance.random() < 0.8 else []
    if program in ("sed", "awk", "gawk", "mawk") and chance.random() < 0.8:
        script = "".join(chance.choices(_SED if program == "sed" else _AWK, k=chance.randint(1, 6)))
        words += [script, *chance.choices(_FILES, k=chance.randint(0, 2))]
    for _ in range(chance.randint(0, 2 if words else 6)):
        at = chance.randint(0, len(words)) if program in _STARTS else len(words)
        own = program in _OWN and chance.random() < 0.8
        words[at:at] = [chance.choice(_OWN[program])] if own else _argument(allowed, chance)
    return " ".join([program, *(word if _PATTERN.fullmatch(word) else shlex.quote(word) for word in words)])


def _argument(allowed: Spec, chance: random.Random) -> list[str]:
    flags, values = sorted(allowed.flags | allowed.optional), sorted(allowed.values)
    kind = chance.random()
    if kind < 0.3 and flags:
        return [chance.choice(flags)]
    if kind < 0.45 and values:
        option = chance.choice(values)
        value = chance.choice(_NUMBERS if allowed.values[option] == "number" else (*_FILES, *_HOSTILE, *_NUMBERS))
        return [option, value] if chance.random() < 0.6 else [f"{option}{'=' * option.startswith('--')}{value}"]
    if kind < 0.55:
        known = "".join(option[1:] for option in (*flags, *values) if len(option) == 2)
        return ["-" + "".join(chance.choices(known * 8 + _LETTERS, k=chance.randint(2, 4)))]
    if kind < 0.6 and flags:
        return [f"{chance.choice(flags)}={chance.choice(_HOSTILE)}"]
    return [chance.choice(_FILES if kind < 0.85 else (*_HOSTILE, *_NUMBERS))]
