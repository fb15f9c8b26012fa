"""Is this journal sound? A report that a person can act on; nothing is changed.

The quick check takes seconds on a large file; the full check reads every row and index, and compares the rows with
their checksums. It must not know what facts mean, only that they are numbered without gaps and that bodies are JSON.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from rawr.errors import JournalError, RawrError
from rawr.journal.checksums import escaped
from rawr.journal.errors import JournalBusy, JournalTooNew, explain
from rawr.journal.home import companions, journal_at, open_to_others
from rawr.journal.migrations import CHECKSUMS, LISTS, migrate, schema_version
from rawr.journal.opening import open_for_reading
from rawr.journal.packing import Cell, Unpackable, unpacked
from rawr.journal.pruning import pruned_facts
from rawr.journal.scrub import Pace, Scrub, unhurried
from rawr.journal.spans import COUNTED, LISTED, Unlisted, checked, listed_until

Area = Literal["version", "lock", "file", "schema", "pages", "numbers", "rows", "bodies", "list", "permissions"]

_SHOWN = 10
_JSON = msgspec.json.Decoder(msgspec.Raw)
_STEPS = 2_000_000
"""SQLite virtual machine steps between two looks at the clock: about ten looks per second."""
_BODIES = (
    ("facts", "seq", "body"),
    ("decisions", "id", "evidence"),
    ("effects", "id", "body"),
    ("snapshots", "seq", "body"),
)


class Finding(Struct, frozen=True):
    """One problem, as a sentence."""

    area: Area
    problem: str


class IntegrityReport(Struct, frozen=True):
    path: Path
    full: bool
    version: int | None
    """None if the file could not be read that far."""
    facts: int
    pruned: int
    """How many facts retention has taken out."""
    rows: int
    """How many were compared with their checksums."""
    left: int
    """How many were left unchecked for lack of time."""
    findings: tuple[Finding, ...]
    """Worst first: what keeps the file from being read, then what is wrong in it, then who else can read it."""

    @property
    def ok(self) -> bool:
        return not self.findings

    @property
    def whole(self) -> bool:
        """True if the whole journal was checked."""
        return self.full and not self.left


def check(place: Path | str, *, full: bool = False, pace: Pace = unhurried) -> IntegrityReport:
    """Check the journal of a RAWR_HOME, or a journal file by its own name, even while a writer runs.

    ``pace`` receives the progress of the full check, and may end it early.
    """
    path = journal_at(place)
    version: int | None = None
    facts = rows = left = pruned = 0
    findings: list[Finding] = []
    others: list[Finding] = []
    try:
        # Before the file is opened, because SQLite may create companions beside it.
        others = _permissions(path)
        with closing(open_for_reading(path)) as db:
            version = schema_version(db, path)
            findings += _schema(db, version=version)
            facts = db.execute("SELECT count(*) FROM facts").fetchone()[0]
            pruned, until = pruned_facts(db) if version >= LISTS and not findings else (0, 0)
            findings += _numbers(db, facts=facts, pruned=pruned, until=until)
            if full and version >= CHECKSUMS:
                scrub = Scrub(db, pace=pace, lists=version >= LISTS)
                left = scrub.total
                findings += [Finding("rows", problem) for problem in scrub.problems()]
                rows, left = scrub.done, max(scrub.total - scrub.done, 0) if scrub.stopped else 0
            if not left:
                findings += _pages(db, full=full, go_on=lambda: pace(rows, rows))
                findings += [*_bodies(db), *_list(db, version=version)] if full else []
    except JournalError as error:
        findings.append(Finding(_area(error), error.message))
    except (sqlite3.Error, OSError) as error:
        told = explain(error, path)
        findings.append(Finding(_area(told), told.message))
    return IntegrityReport(
        path=path,
        full=full,
        version=version,
        facts=facts,
        pruned=pruned,
        rows=rows,
        left=left,
        findings=(*findings, *others),
    )


def _area(error: RawrError) -> Area:
    match error:
        case JournalTooNew():
            return "version"
        case JournalBusy():
            return "lock"
        case _:
            return "file"


def _permissions(path: Path) -> list[Finding]:
    return [
        Finding("permissions", f"Other users can reach {place}; 'chmod go= {place}' removes their access.")
        for place in (path.parent, path, *companions(path))
        if place.exists() and open_to_others(place)
    ]


def _pages(db: sqlite3.Connection, *, full: bool, go_on: Callable[[], bool]) -> list[Finding]:
    pragma = "integrity_check" if full else "quick_check"
    db.set_progress_handler(lambda: not go_on(), _STEPS)
    try:
        rows = db.execute(f"PRAGMA {pragma}({_SHOWN})").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        rows = []
    finally:
        db.set_progress_handler(None, 0)
    return [Finding("pages", f"SQLite found: {text.strip()}.") for (text,) in rows if text != "ok"]


def _schema(db: sqlite3.Connection, *, version: int) -> list[Finding]:
    """Compare with what the migrations make of an empty file."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model, start=0, until=version)
        wanted, found = _objects(model), _objects(db)
        migrate(model, start=version)
        newer = _objects(model).keys() - wanted.keys()
    early = [
        Finding("schema", f"The {kind} {name} does not belong in schema version {version}.")
        for kind, name in sorted(newer & found.keys())
    ]
    # Other programs' tables do no harm; a trigger changes what is written, and rawr makes none.
    early += [
        Finding("schema", f"The trigger {name} is not rawr's.")
        for kind, name in sorted(found.keys() - wanted.keys())
        if kind == "trigger"
    ]
    return early + [
        Finding(
            "schema", f"The {kind} {name} is {'missing' if (kind, name) not in found else 'not as rawr created it'}."
        )
        for (kind, name), sql in wanted.items()
        if found.get((kind, name), "") != sql
    ]


def _objects(db: sqlite3.Connection) -> dict[tuple[str, str], str | None]:
    rows = db.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return {(kind, name): sql for kind, name, sql in rows}


def _numbers(db: sqlite3.Connection, *, facts: int, pruned: int, until: int) -> list[Finding]:
    """Facts are numbered without gaps, apart from those that were pruned."""
    first, last = db.execute("SELECT min(seq), max(seq) FROM facts").fetchone()
    if facts == 0 or (first >= 1 and last == facts + pruned):
        return []
    gaps = db.execute(
        "SELECT seq FROM facts AS f WHERE seq > max(1, ?)"
        " AND NOT EXISTS (SELECT 1 FROM facts WHERE seq = f.seq - 1) LIMIT ?",
        (until + 1 if until else 0, _SHOWN),
    ).fetchall()
    if not gaps and until:
        return [
            Finding("numbers", f"{abs(last - facts - pruned)} facts are missing or too many before number {until}.")
        ]
    return [Finding("numbers", f"Facts are missing before number {seq}.") for (seq,) in gaps]


def _list(db: sqlite3.Connection, *, version: int) -> list[Finding]:
    """Compare the list of threads with the facts, as far as it reaches."""
    if version < LISTS:
        return []
    text, db.text_factory = db.text_factory, escaped
    try:
        listed = {row[0]: row for row in checked(db.execute(LISTED).fetchall())}
        counted = {
            row[0]: row
            for row in db.execute(COUNTED.format(where="WHERE seq <= ?", thread="thread"), (listed_until(db),))
        }
    except Unlisted:
        return [Finding("list", "The list of threads is damaged; rawr makes it anew when it is next opened.")]
    finally:
        db.text_factory = text
    wrong = [name for name in {*listed, *counted} if listed.get(name) != counted.get(name)]
    return [Finding("list", f"The list of threads is wrong about {name or 'rawr itself'}.") for name in wrong[:_SHOWN]]


def _bodies(db: sqlite3.Connection) -> list[Finding]:
    """Frames are left out: they are kept as received, cut, and need not be JSON."""
    findings: list[Finding] = []
    for table, key, column in _BODIES:
        rows = db.execute(
            f"SELECT {key} FROM {table} WHERE typeof({column}) <> 'blob' AND NOT json_valid({column}) LIMIT ?",  # noqa: S608
            (_SHOWN,),
        )
        names = [name for (name,) in rows] + list(islice(_unfit(db, table, key=key, column=column), _SHOWN))
        findings += [Finding("bodies", f"The {column} of {table} {name} is not JSON.") for name in names[:_SHOWN]]
    return findings


def _unfit(db: sqlite3.Connection, table: str, *, key: str, column: str) -> Iterator[object]:
    """The rows whose packed body is not JSON, or does not fit its fact."""

    def origin(seq: int) -> Cell | None:
        found = db.execute("SELECT body FROM facts WHERE seq = ?", (seq,)).fetchone()
        return found[0] if found is not None else None

    query = f"SELECT {key}, seq, {column} FROM {table} WHERE typeof({column}) = 'blob'"  # noqa: S608
    for name, seq, cell in db.execute(query):
        try:
            _JSON.decode(unpacked(cell, partial(origin, seq)))
        except (Unpackable, msgspec.MsgspecError, UnicodeError, RecursionError):
            yield name
