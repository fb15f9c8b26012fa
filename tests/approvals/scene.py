"""A workspace with everything that the abuses of rules need: programs, hooks, repositories and settings of the agent's,
a folder and a home beside it, and marks that show what happened.
"""

import http.server
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from rawr.approvals import Judgment, Rules, Surroundings, judge_command

SECRET = "not-to-be-taken-51c9"
_CORPUS = Path(__file__).parent / "corpus"
BUILD = r"""
git init -q --template= -b main .
mkdir -p src tests docs tpl/hooks build cmd/app scripts
mkdir .codex
printf 'x=1\n' > .codex/config.toml
printf '# App\nmore\n' > README.md
printf 'print(1)\n' > src/app.py
printf 'u=1\n' > src/util.py
printf 'a\n' > src/index.js
printf 'package main\n' > cmd/app/main.go
printf 'def test(tmp_path): pass\ndef test_y(): pass\n' > tests/test_app.py
printf 'notes\n' > notes.txt
printf 'a,b\n' > data.csv
printf '.env\n*.log\n.codex\n' > .gitignore
printf '{"name": "app", "version": "1.0.0", "scripts": {"test": "true"}}' > package.json
printf 'requests\n' > requirements.txt
printf '.PHONY: check deploy build show\n' > Makefile
printf 'check:\n\ttrue\ndeploy:\n\t./evil.sh\nbuild:\n\t$(CC)\nshow:\n\techo $(X)\n' >> Makefile
printf '#!/bin/sh\necho ran >> "%s"\n' "$MARK" > evil.sh
chmod +x evil.sh
cp evil.sh tpl/hooks/post-checkout
cp evil.sh scripts/deploy
printf 'check:\n\t./evil.sh\nX := $(shell ./evil.sh)\n' > evil.mk
printf 'open("%s", "w").write("ran")\n' "$MARK" > evil_plugin.py
printf 'url = "file://%s/.netrc"\n' "$HOME" > curl.cfg
git init -q --bare --template= sub.git
mkdir -p sub.git/hooks
cp evil.sh sub.git/hooks/pre-receive
git add README.md src tests docs cmd notes.txt data.csv .gitignore package.json Makefile
git commit -q -m one
printf 'more\n' >> README.md
git commit -q -am two
git checkout -q -b feature HEAD~1
printf 'f\n' > feature.txt
git add feature.txt
git commit -q -m three
git checkout -q main
printf 'require("fs").writeFileSync("%s", "ran")\n' "$MARK" > evil.js
git remote add origin https://example.org/app.git
git config branch.main.remote origin
git config branch.main.merge refs/heads/main
printf 'TOKEN=%s\n' "$SECRET" > .env
"""
_OUTSIDE = r"""
printf '%s\n' "$SECRET" > secret.txt
printf 'all:\n\techo x > "%s/made"\ncheck: all\n' "$PWD" > Makefile
printf 'open("%s/made", "w")\ndef test(): pass\n' "$PWD" > test_out.py
printf 'open("%s/made", "w")\n' "$PWD" > x.py
printf '{"name": "o", "version": "1.0.0", "scripts": {"test": "echo x > %s/made"}}' "$PWD" > package.json
mkdir keep
echo x > keep/x
git init -q --bare --template= bare.git
"""


class Abuse(Struct, frozen=True):
    rule: str
    command: str
    what: str
    shows: str


def abuses() -> list[Abuse]:
    return [Abuse(*line) for line in _rows("abuses", 4)]


def everyday() -> list[tuple[tuple[str, ...], str]]:
    return [(tuple(rules.split(", ")), command) for rules, command in _rows("everyday", 2)]


def _rows(name: str, count: int) -> Iterator[list[str]]:
    for line in (_CORPUS / f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("# "):
            row = line.split(" ## ")
            assert len(row) == count, line
            yield row


class Scene:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace, self.outside, self.home = folder / "workspace", folder / "outside", folder / "home"
        self.mark = folder / "mark"
        self.got = b""
        self.port = 9
        for place in (self.workspace, self.outside, self.home / ".ssh"):
            place.mkdir(parents=True)
        (self.home / ".netrc").write_text(f"machine x login y password {SECRET}\n")
        (self.home / "header").write_text(f"X-Key: {SECRET}\n")
        (self.home / ".ssh" / "id_rsa").write_text(f"{SECRET}\n")
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            "npm_config_update_notifier": "false",
            "npm_config_cache": str(folder / "npm"),
        }
        for place, script in ((self.workspace, BUILD), (self.outside, _OUTSIDE)):
            env = {**self.env, "MARK": str(self.mark), "SECRET": SECRET}
            subprocess.run(["bash", "-ec", script], cwd=place, env=env, check=True, capture_output=True)
        with tarfile.open(self.workspace / "a.tar", "w") as archive:
            archive.add(self.workspace / "README.md", "README.md")
        self._kept = folder.parent / f"{folder.name}-kept"
        self._keep()

    def _keep(self) -> None:
        shutil.rmtree(self._kept, ignore_errors=True)
        shutil.copytree(self.folder, self._kept, symlinks=True)
        self._before = self._files()

    def plant(self, name: str) -> None:
        """One more file with a secret, in the workspace."""
        (self.workspace / name).write_text(f"{SECRET}\n")
        self._keep()

    def written(self, text: str) -> str:
        """A line of the corpus, with the places of this scene."""
        places = {"ws": self.workspace, "out": self.outside, "home": self.home, "port": self.port, "mark": self.mark}
        return re.sub(r"\{(ws|out|home|port|mark)\}", lambda found: str(places[found[1]]), text)

    def judge(self, command: str, *rules: str) -> Judgment:
        around = Surroundings.read(self.env)
        return judge_command(
            self.written(command), cwd=self.workspace, workspace=self.workspace, rules=Rules(allow=rules), around=around
        )

    def shows(self, abuse: Abuse) -> bool:
        """Really run it, and look for what it should have done. Everything is as it was afterwards."""
        self.got = b""
        with self._served():
            done = subprocess.run(
                ["timeout", "20", "bash", "-c", self.written(abuse.command)], cwd=self.workspace, env=self.env,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            )  # fmt: skip
        try:
            match abuse.shows:
                case "runs":
                    return self.mark.exists()
                case "writes":
                    return self._files() != self._before
                case _:
                    return SECRET.encode() in done.stdout + self.got + self._objects()
        finally:
            self._restore()

    @contextmanager
    def _served(self) -> Iterator[None]:
        scene = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = self.headers.get("Content-Length")
                scene.got += str(self.headers).encode() + (self.rfile.read(int(length)) if length else b"")
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.send_header("ETag", '"x"')
                self.send_header("Set-Cookie", "a=b")
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(b"ok")

            do_POST = do_PUT = do_GET  # noqa: N815 - its names

            def log_message(self, *_: object) -> None:
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
            self.port = server.server_port
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            yield
            server.shutdown()

    def _objects(self) -> bytes:
        """Everything that git keeps."""
        words = ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
        return subprocess.run(words, cwd=self.workspace, env=self.env, capture_output=True, check=False).stdout

    def _files(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for top in (self.outside, self.home):
            for path in top.rglob("*"):
                if "npm" not in path.parts and "_logs" not in path.parts and ".npm" not in path.parts:
                    found[str(path)] = path.read_bytes() if path.is_file() else b""
        return found

    def _restore(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self._kept, self.folder, symlinks=True)
