"""``python -m tests.compat [VERSION …]``: the golden path, a run and a watch on several versions of the real Codex.

Exit code 1 if a version that ``rawr doctor`` accepts fails a test.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from rawr.codex.versions import OLDEST_VERSION, TESTED_VERSION
from rawr.testing.real_codex import CODEX_VARIABLE
from tests.compat.fetching import NotFetched, cache, fetch, newest
from tests.compat.report import Share, Tried, table, write_docs

ROOT = Path(__file__).parents[2]
SUBJECTS = {
    "golden path": "tests/e2e/test_golden_path.py",
    "rawr run": "tests/e2e/test_run_program.py",
    "rawr watch": "tests/e2e/test_watch_program.py",
    "own threshold": "tests/e2e/test_own_threshold.py",
}
DEADLINE = 1800.0
CHECKS = ("codex", "protocol", "app-server")
"""What ``rawr doctor`` says about the program itself. Whether somebody is logged in is another matter."""


def main() -> int:
    chosen = _arguments()
    versions = chosen.versions or [OLDEST_VERSION, TESTED_VERSION, "latest"]
    tried: list[Tried] = []
    try:
        for version in dict.fromkeys(newest() if one == "latest" else one for one in versions):
            program = fetch(version, chosen.cache)
            print(f"Codex {version}: {program}", file=sys.stderr)
            tried.append(_try(version, program))
    except NotFetched as error:
        print(f"compat: {error}", file=sys.stderr)
        return 1
    print(table(tried, tuple(SUBJECTS)))
    for one in tried:
        print("".join(f"\n{one.version}: {name}" for name in one.failed), end="\n" if one.failed else "")
    if chosen.write_docs:
        write_docs(tried, tuple(SUBJECTS))
    return 0 if all(one.as_it_should for one in tried) else 1


def _try(version: str, program: Path) -> Tried:
    refused = _refused(program)
    if refused:
        return Tried(version, refused)
    shares: dict[str, Share] = {}
    failed: list[str] = []
    for subject, tests in SUBJECTS.items():
        shares[subject], broken = _tested(program, tests)
        failed += broken
    return Tried(version, "", shares, tuple(failed))


def _refused(program: Path) -> str:
    """What ``rawr doctor`` has against it."""
    with tempfile.TemporaryDirectory(prefix="rawr-compat-") as folder:
        env = {**os.environ, "RAWR_HOME": f"{folder}/rawr", "CODEX_HOME": f"{folder}/codex", "HOME": folder}
        command = [sys.executable, "-m", "rawr", "doctor", "--json", "--codex-bin", str(program)]
        said = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False).stdout
    found = [json.loads(line) for line in said.splitlines()]
    wrong = [one for one in found if one.get("name") in CHECKS and one["status"] == "fail"]
    return "; ".join(str(one["detail"]).replace(f"{program} (named), ", "") for one in wrong)


def _tested(program: Path, tests: str) -> tuple[Share, list[str]]:
    with tempfile.TemporaryDirectory(prefix="rawr-compat-") as folder:
        file = Path(folder) / "junit.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", f"--junitxml={file}", tests]
        env = {**os.environ, CODEX_VARIABLE: str(program)}
        subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, timeout=DEADLINE, check=False)
        cases = list(ET.parse(file).iter("testcase")) if file.exists() else []  # noqa: S314
    ran = [one for one in cases if one.find("skipped") is None]
    broken = [one for one in ran if one.find("failure") is not None or one.find("error") is not None]
    return Share(len(ran) - len(broken), len(ran)), [f"{tests}::{one.get('name')}" for one in broken]


class _Arguments(argparse.Namespace):
    versions: list[str]
    cache: Path
    write_docs: bool


def _arguments() -> _Arguments:
    parser = argparse.ArgumentParser(prog="python -m tests.compat", description=__doc__)
    parser.add_argument("versions", nargs="*", help="such as 0.153.4, or latest (npm's)")
    parser.add_argument("--cache", type=Path, default=cache(), help="where the programs are kept")
    parser.add_argument("--write-docs", action="store_true", help="write the table into docs/compat.md")
    return parser.parse_args(namespace=_Arguments())


if __name__ == "__main__":
    sys.exit(main())
