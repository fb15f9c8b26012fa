"""``rawr mend``: a person allows a thread to continue although its record is damaged."""

import time

from rawr import __version__
from rawr.cli.exit_codes import Exit
from rawr.cli.places import Places
from rawr.cli.terminal.output import counted, emit, say
from rawr.errors import OutsideError
from rawr.journal.home import is_recorded
from rawr.journal.reader import JournalReader
from rawr.journal.rows import ThreadSpan
from rawr.journal.store import Journal
from rawr.ports.memory import Batch
from rawr.runtime.recovery import Distrust, Recollection, untrusted


def run(name: str, *, json: bool) -> Exit:
    """Nothing in the journal is changed or removed; it only notes from which fact on the thread counts again."""
    places = Places.find()
    if not is_recorded(places.home):
        raise OutsideError(f"Nothing is recorded yet in {places.home}.")
    with Journal.open(places.home) as journal, JournalReader.open(journal.path) as reader:
        recollection = Recollection(reader, policy=places.loaded.policy, version=__version__)
        found = untrusted(reader, recollection)
        chosen = _chosen(name, found, [span for span in reader.threads() if span.thread])
        why = found.get(chosen)
        if why is None:
            if json:
                emit({"type": "mend", "thread": chosen, "mended": False})
            else:
                say(f"Thread {chosen} is intact; there is nothing to mend." if chosen else "Every thread is intact.")
            return Exit.OK
        batch = Batch()
        batch.add_mend(chosen, seq=journal.last_seq(), at=int(time.time() * 1000))
        journal.append(batch).result()
    if json:
        emit({"type": "mend", "thread": chosen, "mended": True, "fact": why.seq, "problem": why.problem})
    else:
        say(why.sentence)
        say(f"It continues from its last sound state, without {counted(why.rows, 'row')} and anything since.")
    return Exit.OK


def _chosen(name: str, found: dict[str, Distrust], spans: list[ThreadSpan]) -> str:
    """The thread that is meant: by the end of its id or, without a name, the only damaged one."""
    known = list(dict.fromkeys([*found, *(span.thread for span in spans)]))
    fitting = [one for one in known if one.endswith(name)] if name else list(found)
    if len(fitting) == 1 or (not name and not fitting):
        return fitting[0] if fitting else ""
    if name:
        how = "More than one" if fitting else "No"
        raise OutsideError(f"{how} thread matches {name}.", way_out="`rawr status` lists them.")
    raise OutsideError(f"{len(fitting)} threads are damaged.", way_out=f"Name one of them: {', '.join(fitting)}.")
