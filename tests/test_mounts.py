"""One place has one name, also behind a bind mount."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rawr.mounts import Mounts

TABLE = r"""
21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
30 21 8:1 /home/ada/project /mnt/my\040project rw - ext4 /dev/sda1 rw
31 21 0:40 / /mnt rw - tmpfs tmpfs rw
32 31 8:1 /home/ada/project/deep /mnt/deep rw - ext4 /dev/sda1 rw
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/home/ada/project/x", ("8:1", "/home/ada/project/x")),
        ("/mnt/my project", ("8:1", "/home/ada/project")),
        ("/mnt/my project/x", ("8:1", "/home/ada/project/x")),
        ("/mnt/deep/x", ("8:1", "/home/ada/project/deep/x")),
        ("/mnt/deeper", ("0:40", "/deeper")),
        ("/", ("8:1", "/")),
    ],
)
def test_a_path_is_where_it_is_mounted(path: str, place: tuple[str, str]) -> None:
    assert Mounts(TABLE).place_of(path) == place


def test_without_a_table_a_path_is_what_it_is() -> None:
    assert Mounts("").place_of("/a/b") == ("", "/a/b")
    assert Mounts("nonsense\n1 2 3\n").place_of("/a/b") == ("", "/a/b")


BOUND = """
import ctypes, os, sys
source, target = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
os.unshare(os.CLONE_NEWNS) if hasattr(os, "unshare") else libc.unshare(0x20000)
assert libc.mount(None, b"/", None, 1 << 14 | 1 << 18, None) == 0
assert libc.mount(source.encode(), target.encode(), None, 1 << 12, None) == 0, ctypes.get_errno()
from rawr.mounts import Mounts
print(Mounts().place_of(target + "/x") == Mounts().place_of(source + "/x"))
"""


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root binds a folder elsewhere")
def test_a_real_bind_mount(tmp_path: Path) -> None:
    source, target = tmp_path / "project" / "deep", tmp_path / "elsewhere"
    source.mkdir(parents=True)
    target.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", BOUND, str(source), str(target)], capture_output=True, text=True, check=False, timeout=60
    )
    if "AssertionError" in done.stderr:
        pytest.skip("this machine lets nobody mount")
    assert done.stdout == "True\n", done.stderr
