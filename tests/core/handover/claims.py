"""Claims as agents write them into packets, and a thread they may be held against (D2).

What happened there: two files were written and committed on a branch; the tests passed, one check failed and passes
now, another one fails; one step of the plan is left. Nothing else.
"""

from rawr.core.handover.claims import Known
from rawr.core.state.ledger import Commit, Failure, Ledger, Touched
from rawr.core.state.ran import Ended, Runs, add
from rawr.core.state.sequence import Seen
from rawr.core.vocabulary.facts import PlanStep

SHA = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
BRANCH = "feature/rows"
THERE = ("src/parser.py", "docs/parsing.md", "src/legacy.py", "README.md", "pyproject.toml", "config/app.toml")
PLAN = (PlanStep("read the quoted rows", "completed"), PlanStep("measure a large file", "pending"))
RAN = (
    ("uv run pytest -q", 0),
    ("ruff check src", 1),
    ("ruff check src", 0),
    ("mypy src", 1),
    ("git commit -qm 'Parse quoted rows'", 0),
    ("cp README.md /tmp/readme", 0),
)


def runs() -> Runs:
    kept = Runs()
    for command, code in RAN:
        kept = add(kept, (Ended(command, code),))
    return kept


RECORD = Ledger(
    goal="Read quoted rows.",
    files=(Touched("/project/src/parser.py", "update"), Touched("/project/docs/parsing.md", "add")),
    commits=(Commit(SHA, "Parse quoted rows", BRANCH),),
    failures=(Failure("mypy src", 1, "Found 2 errors"),),
    runs=runs(),
)
EMPTY = Ledger(goal="Look around.")


def known(named: tuple[str, ...], commits: tuple[str, ...], *, ledger: Ledger = RECORD) -> Known:
    """With what the look at this project's files and commits brings."""
    missing = tuple(one for one in named if not any(f"/{each}".endswith(f"/{one}") for each in THERE))
    unknown = tuple(one for one in commits if not SHA.startswith(one) and not one.startswith("9f8e7d6"))
    return Known(ledger, PLAN, Seen(missing, unknown, BRANCH))


HONEST = (
    f"Parsed quoted rows in src/parser.py, commit {SHA[:8]} on branch {BRANCH}.",
    f"Read the quoted rows; committed as `{SHA[:7]}` (Parse quoted rows).",
    "`uv run pytest -q` passes.",
    "`uv run pytest -q` exits 0.",
    "pytest: all green.",
    "All tests pass.",
    "The tests pass; `mypy src` still fails with exit code 1.",
    "`mypy src` ended with exit code 1: Found 2 errors.",
    "`ruff check src` failed first with exit code 1 and passes now.",
    "`ruff check src` is clean (exit 0).",
    "ruff: no errors.",
    "Documented the format in `docs/parsing.md`.",
    "Wrote parsing.md with the grammar.",
    "Changed `src/parser.py:41` so that quotes are doubled.",
    "Deleted src/old_parser.py, which nothing used any more.",
    "Renamed src/rows.py to src/parser.py.",
    "No notes.md was written.",
    "notes.md is still to be written.",
    "The next step will add tests/test_large.py.",
    "`tests/test_large.py` does not exist yet.",
    "Jest was not run; there is no JavaScript here.",
    "Did not run `npm test`.",
    "`cargo test` could not be run: no toolchain here.",
    "pytest should pass on 3.12 too.",
    "CI runs `tox -e py312`, which the user says passes.",
    "The user wants all tests to pass before a release.",
    f"Work is on `{BRANCH}`, branched off main.",
    "Nothing was pushed to main.",
    f"The branch {BRANCH} is ahead of main by one commit.",
    "The pull request is not opened yet.",
    "No PR was created.",
    "A PR will be opened when the measurements are there.",
    "Measure a large file is still to do.",
    "Next on the plan: measure a large file.",
    "Branch coverage is 91 %.",
    "Based on commit 9f8e7d6, which was there before.",
    "The image's digest is sha256 4c5d6e7f8a9b.",
    "The design follows Node.js and Next.js conventions.",
    "See https://example.org/docs/format.md for the grammar.",
    "Nothing is uncommitted.",
    "The parser was written against RFC 4180; config/app.toml holds the limits.",
    "`git commit -qm 'Parse quoted rows'` succeeded.",
    "Of the plan, one step is done and one is open.",
    "Copied the README with `cp README.md /tmp/readme`, exit 0.",
    "- src/parser.py: doubled quotes are unescaped; regression covered by the existing tests (12 passed).",
    "Parser work landed in 0a1b2c3d on feature/rows; working tree clean.",
    "Ran `uv run pytest -q` → 12 passed in 0.41s (exit code 0).",
    "Ran `ruff check src` → exit 1 at first (unused import), fixed, exit 0.",
    "mypy: 2 errors in src/parser.py (exit 1), pre-existing.",
    "`mypy src` → 2 errors, exit code 1; not addressed.",
    "- [x] read the quoted rows\n- [ ] measure a large file",
    "Plan: read the quoted rows (done); measure a large file (open).",
    "measure a large file — not started",
    "- measure a large file: pending",
    "The user decided against a changelog; CHANGES.md stays out.",
    "There is no setup.cfg; configuration lives in pyproject.toml.",
    "Tried `pytest -x tests/test_rows.py::test_q` but pytest is not installed, so `uv run pytest -q` was used.",
    "No tests were run after the last edit of docs/parsing.md.",
    "Docs: docs/parsing.md (new).",
    "git status: clean. Branch: feature/rows. HEAD: 0a1b2c3.",
    "Nothing pushed, no PR.",
    "HEAD is 0a1b2c3 on feature/rows; main is untouched.",
    "Later merge to main via PR.",
    "Verified by reading src/legacy.py that nothing imports it.",
    "`git status` shows a clean tree.",
    "`git push` was not run.",
    "`grep -rn parse src` shows two callers.",
    "Function `parse_row(text)` returns 2 fields.",
    "`Row.fields` is 0-based and passes through unchanged.",
    'The regex `"(?:[^"]|"")*"` passes all cases.',
    "`README.md` was left as is.",
    "The user will run `npm run e2e` themselves.",
    "The status code 404 is returned for unknown rows.",
    "We keep the deprecated alias until 2.0.",
    "Tests: green. Lint: green. Types: 2 errors left.",
    "pytest green, ruff green, mypy red (2 errors).",
    "`uv run pytest -q`: 12 passed, 0 failed",
    "Commit message: 'Parse quoted rows'.",
    "Old behaviour came from commit 9f8e7d6 (2 years ago).",
    "Color codes #a1b2c3d are unchanged.",
    "Output goes to out/report.html when run with --html.",
    "e.g. config/local.toml may override it.",
    "The e2e suite passes only in CI.",
    "What is left: run `npm run lint` to confirm that everything passes.",
    "Consider `npm test` before the release; it passes quickly.",
)
"""All of them are so."""

FALSE = (
    ("Wrote tests/test_quotes.py with twelve cases.", "tests/test_quotes.py"),
    ("Created `src/quoting/escape.py`.", "src/quoting/escape.py"),
    ("My notes are in notes.md.", "notes.md"),
    ("Findings are recorded in `docs/findings.md`.", "docs/findings.md"),
    ("Added a changelog entry (CHANGES.md).", "CHANGES.md"),
    ("The benchmark is in bench/large.py and works.", "bench/large.py"),
    ("Updated setup.cfg and src/parser.py.", "setup.cfg"),
    ("- src/reader.py: now handles quotes", "src/reader.py"),
    ("Everything I found is in .scratch/agent-notes.md.", ".scratch/agent-notes.md"),
    ("Committed as deadbee1 “Handle quotes”.", "deadbee1"),
    ("Two commits: 0a1b2c3 and 77aa88bb.", "77aa88bb"),
    ("The fix went in with abc1234.", "abc1234"),
    ("Branch: release/2.0", "release/2.0"),
    ("All of it is committed on main.", "main"),
    ("We are on `develop`.", "develop"),
    ("The work is on branch `fix/quotes`.", "fix/quotes"),
    ("Current branch is `hotfix-quotes`, tree clean.", "hotfix-quotes"),
    ("Checked-out branch: master.", "master"),
    ("`mypy src` passes.", "mypy src"),
    ("`mypy src` exits 0.", "mypy src"),
    ("`mypy src` is clean now.", "mypy src"),
    ("mypy passes.", "mypy"),
    ("`mypy src` ended with exit code 2.", "mypy src"),
    ("`uv run pytest -q` ended with exit code 1.", "uv run pytest -q"),
    ("`ruff check src` failed with exit status 3.", "ruff check src"),
    ("`npm test` passes.", "npm test"),
    ("Jest: 48 tests passed.", "jest"),
    ("`cargo test` succeeded with exit code 0.", "cargo test"),
    ("eslint reports no errors.", "eslint"),
    ("tsc is green.", "tsc"),
    ("`go test ./...` exited with 0.", "go test"),
    ("`terraform plan -out tf.plan` succeeded.", "terraform plan"),
    ("`psql -f schema.psql` returned 0.", "psql -f"),
    ("Opened PR #14 for review.", "pull request"),
    ("Created a pull request: https://example.org/pull/14.", "pull request"),
    ("The pull request is open and waits for a review.", "pull request"),
    ("PR #14 was merged.", "pull request"),
    ("Measure a large file: done, 4 s for a million rows.", "measure a large file"),
    ("All plan steps are completed.", "measure a large file"),
    ("Read the quoted rows and measure a large file.", "measure a large file"),
    ("The plan is complete.", "measure a large file"),
    ("Every step of the plan is done.", "measure a large file"),
    ("- tests/test_quotes.py (new, 12 cases)", "tests/test_quotes.py"),
    ("Extended the suite with `tests/quoting/test_escape.py`", "tests/quoting/test_escape.py"),
    ("Full notes: docs/notes/2026-quoting.md", "docs/notes/2026-quoting.md"),
    ("See NOTES.md for the measurements I took.", "NOTES.md"),
    ("I saved the benchmark output to results/bench.json.", "results/bench.json"),
    ("Files: src/parser.py, src/lexer.py, docs/parsing.md.", "src/lexer.py"),
    ("| `src/lexer.py` | tokenizes quotes |", "src/lexer.py"),
    ("Pushed as 5ba7e11 to origin.", "5ba7e11"),
    ("`1234abc Handle empty rows`", "1234abc"),
    ("Branch `main`, clean.", "main"),
    ("On main: 0a1b2c3 Parse quoted rows.", "main"),
    ("Git: on branch quoting-v2, nothing uncommitted.", "quoting-v2"),
    ("Switched to `release-1.4` and continued there.", "release-1.4"),
    ("`mypy src` → Success: no issues found.", "mypy src"),
    ("`mypy src`: 0 errors", "mypy src"),
    ("Types: `mypy src` OK (exit code 0)", "mypy src"),
    ("mypy is happy: no issues found in 4 source files.", "mypy"),
    ("`uv run pytest -q` → 1 failed, exit code 1", "uv run pytest -q"),
    ("`vitest run` — 31 passed", "vitest run"),
    ("Ran the linter: `eslint src --max-warnings 0` passes.", "eslint"),
    ("cargo build and cargo test both succeed.", "cargo"),
    ("`npm run build` finished with exit code 0.", "npm"),
    ("`docker build -t rows .` succeeded.", "docker"),
    ("Verified with `python bench.py --rows 1000000` (exit code 0).", "python bench.py"),
    ("Draft PR is up: https://example.org/x/pull/3", "pull request"),
    ("PR: https://github.com/x/y/pull/12 (open)", "pull request"),
    ("Merge request !7 was created.", "pull request"),
    ("gh pr create done, PR #12.", "pull request"),
    ("Plan: all five steps finished.", "measure a large file"),
    ("Both plan items are done: read the quoted rows, measure a large file.", "measure a large file"),
    ("✅ measure a large file", "measure a large file"),
    ("- [x] measure a large file", "measure a large file"),
    ("Completed every item on the plan.", "measure a large file"),
    ("Nothing left on the plan.", "measure a large file"),
    ("Ran `npm test -- --run rows` in `/project/web` and it passed (10 tests).", "npm test"),
    ("Ran `npm test`.", "npm test"),
    ("Web tests still pass: `npm test`.", "npm test"),
    ("Everything is green (`npm test`).", "npm test"),
    ("Verified with `npm run build` in `web`, and it builds successfully.", "npm run build"),
)
"""With what the finding has to name."""

OF_NOTHING = (
    ("All tests pass.", "test"),
    ("pytest passed.", "pytest"),
    ("12 tests passed.", "test"),
    ("`pytest -q` passes with 12 tests.", "pytest"),
    ("The whole test suite is green.", "test"),
    ("Committed everything.", "commit"),
    ("All changes are committed.", "commit"),
    ("I committed the parser as “Parse rows”.", "commit"),
    ("Made two commits.", "commit"),
    ("Tests pass.", "test"),
    ("Test suite passes (34 tests).", "test"),
    ("pytest: 34 passed", "pytest"),
    ("Ran the tests; everything is green.", "test"),
    ("All checks pass.", "test"),
    ("Everything is committed and pushed.", "commit"),
    ("Changes were committed in one commit.", "commit"),
    ("Unit tests green.", "test"),
    ("The build passes.", "build"),
    ("Ran pytest, 20/20 passed.", "pytest"),
)
"""Where nothing was run and nothing was committed."""
