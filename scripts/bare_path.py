"""Fills a folder with links to the programs that the README asks for, and to no others: ``bare_path.py FOLDER``.

With that folder as PATH the suite runs as it would on a machine that has nothing else, and a test that takes it for
granted that some program is installed fails. Prints the folder.
"""

import os
import shutil
import sys
from pathlib import Path

NEEDED = ("python3", "git", "make", "bash", "sh")
OF_GIT = ("sed",)
"""What git's own scripts call (``git submodule``): where git is, this is too."""
_COREUTILS = (
    "[ arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date dd df dir dirname "
    "du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls md5sum mkdir "
    "mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pr printenv printf ptx pwd readlink realpath "
    "rm rmdir sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync "
    "tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink wc who whoami yes"
)
COREUTILS = tuple(_COREUTILS.split())


def fill(folder: Path) -> None:
    """Raises ``SystemExit`` if something is missing that every machine must have."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in (*NEEDED, *OF_GIT, *COREUTILS):
        found = _python() if name == "python3" else shutil.which(name)
        if found is not None:
            (folder / name).symlink_to(found)
        elif name in NEEDED:
            raise SystemExit(f"{name} is not on PATH, and rawr needs it.")


def _python() -> str:
    """The one that the environment was made with: another may have come before it in PATH."""
    return os.path.realpath(sys.executable)


if __name__ == "__main__":
    where = Path(sys.argv[1]).absolute()
    fill(where)
    print(where)
