"""A real Codex with somebody in front of it: a program that stands where Codex should, passes every line on, and at one
named moment kills everything, freezes it, or does worse.

The moment is the first line that holds a text, on its way in (``>``) or out (``<``); it comes once in the life of the
folder, so that the Codex that is started in its place is a good one.
"""

import sys
from pathlib import Path
from typing import Literal

from rawr.testing import ScriptedCodex

Deed = Literal["kill", "freeze", "deaf", "stubborn"]
"""``kill``: SIGKILL for the whole group. ``freeze``: Codex is stopped and nothing is passed on. ``deaf``: the line and
all that follow are kept from Codex. ``stubborn``: the same, and neither the end of input nor SIGTERM ends it."""

_PROGRAM = """#!{python}
import os, signal, subprocess, sys, threading, time

codex, mark, moment, deed, delay = {codex!r}, {mark!r}, {moment!r}, {deed!r}, {delay!r}
if sys.argv[1:2] != ["app-server"]:
    os.execv(codex, [codex, *sys.argv[1:]])
child = subprocess.Popen([codex, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
wanted = "" if os.path.exists(mark) else moment
stop = threading.Event()

def deeds():
    global wanted
    wanted = ""
    open(mark, "x").close()
    if delay:
        time.sleep(delay)
    if deed == "kill":
        os.killpg(0, signal.SIGKILL)
    if deed == "freeze":
        os.kill(child.pid, signal.SIGSTOP)
    stop.set()

def passes(source, sink, way, last):
    for line in source:
        if wanted and wanted[0] == way and wanted[1:].encode() in line:
            if delay:
                sink.write(line); sink.flush()
            threading.Thread(target=deeds, daemon=True).start() if delay and deed == "kill" else deeds()
            if delay and deed == "kill":
                continue
        if stop.is_set():
            if deed in ("freeze", "stubborn"):
                threading.Event().wait()
            continue
        try:
            sink.write(line); sink.flush()
        except OSError:
            break
    if deed == "stubborn" and stop.is_set():
        threading.Event().wait()
    last()

if deed == "stubborn":
    signal.signal(signal.SIGTERM, lambda *_: None if stop.is_set() else sys.exit(0))
inward = threading.Thread(target=passes, args=(sys.stdin.buffer, child.stdin, ">", child.stdin.close), daemon=True)
outward = threading.Thread(target=passes, args=(child.stdout, sys.stdout.buffer, "<", lambda: None), daemon=True)
if wanted == "spawn":
    deeds()
inward.start(); outward.start()
while outward.is_alive():
    outward.join(0.1)
sys.stdout.close()
os._exit(child.wait())
"""


def go_between(codex: ScriptedCodex, folder: Path, moment: str, *, deed: Deed = "kill", delay: float = 0.0) -> Path:
    """The program. ``moment`` is ``spawn``, or ``>text`` or ``<text``; ``delay`` lets the line pass and waits so many
    seconds."""
    path = folder / "codex-between"
    mark = folder / "the-deed-is-done"
    text = _PROGRAM.format(
        python=sys.executable, codex=str(codex.binary), mark=str(mark), moment=moment, deed=deed, delay=delay
    )
    path.write_text(text)
    path.chmod(0o755)
    return path
