"""A terminal window: a process that holds a pseudo-terminal with a program in it.

Whoever kills it closes the terminal: the kernel sends the program in there a hang-up, and nobody reads what it prints.
"""

import fcntl
import os
import pty
import struct
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.crash.living import sign

ROWS, COLUMNS = 45, 120


def hold(program: Callable[[], int], *, signs: Path) -> int:
    """Run the program in a terminal, and copy what it prints to our own output; gives its exit code."""
    sign(signs)
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    pid = os.fork()
    if not pid:
        code = 70
        try:
            os.close(main)
            os.login_tty(side)
            # What was opened on the descriptors before knows nothing of a terminal.
            sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
            code = program()
        finally:
            os._exit(code)
    os.close(side)
    _copy(main)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _copy(main: int) -> None:
    while True:
        try:
            data = os.read(main, 1 << 16)
        except OSError:
            return  # the program has ended
        if not data:
            return
        os.write(1, data)


def main() -> int:
    from tests.crash.nursery import become
    from tests.crash.victim import ORDERS, Orders

    orders = msgspec.json.decode(os.environ[ORDERS], type=Orders)
    return hold(lambda: become(sys.argv[1:]), signs=Path(orders.terminal))


if __name__ == "__main__":
    sys.exit(main())
