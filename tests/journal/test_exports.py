"""The exported names, so that a change of them is on purpose."""

from rawr import journal
from rawr.errors import JournalError


def test_every_exported_name_is_there_and_errors_have_one_base() -> None:
    assert sorted(journal.__all__) == sorted(set(journal.__all__))
    exported = {name: getattr(journal, name) for name in journal.__all__}
    errors = {name for name, value in exported.items() if isinstance(value, type) and issubclass(value, Exception)}
    assert errors == {
        "HomeOpen",
        "JournalBusy",
        "JournalClosed",
        "JournalConflict",
        "JournalCorrupt",
        "JournalLost",
        "JournalMissing",
        "JournalTooNew",
        "JournalUnwritable",
        "NotAJournal",
    }
    assert all(issubclass(exported[name], JournalError) for name in errors)
