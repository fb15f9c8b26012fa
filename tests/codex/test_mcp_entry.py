"""rawr's entry in Codex's config, added and taken out without touching anything else (D10)."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.codex.mcp_entry import BOM, COMMENT, Entry, Unfit, added, entry_in, is_marked, removed

pytestmark = pytest.mark.mission("D10")

RAWR = Entry("/opt/my tools/rawr", ("mcp",), {"RAWR_HOME": "/home/ada/rawr"})
THEIRS = """\
# my own comment
model = "gpt-5"   # trailing

[mcp_servers.docs]
command = "docs-server" # keep
args = ["a",
  "b"]  # over two lines

  [profiles.work]   # indented
  model = "x"
# last"""


@pytest.mark.parametrize(
    "text", ["", "\n", THEIRS, THEIRS + "\n", THEIRS + "\n\n\n", THEIRS.replace("\n", "\r\n"), BOM, BOM + THEIRS]
)
def test_every_other_byte_stays(text: str) -> None:
    after = added(text, RAWR)
    assert after.startswith(text)
    assert entry_in(after) == RAWR
    assert removed(after) == text


def test_what_came_behind_it_stays_too() -> None:
    behind = "\n# somebody's\n[profiles.home]\nmodel = 'y'\n"
    for text in (THEIRS, THEIRS + "\n"):
        assert removed(added(text, RAWR) + behind) == text.rstrip("\n") + "\n" + behind


def test_another_form_of_it_is_found_as_well() -> None:
    """As ``codex mcp add`` writes it, in two tables, or as a person does."""
    tables = '[mcp_servers.rawr]\ncommand = "rawr"\nargs = ["mcp"]\n\n[mcp_servers.rawr.env]\nA = "b"\n'
    text = tables + "\n# mine\n[tui]\nx = 1\n"
    assert entry_in(text) == Entry("rawr", ("mcp",), {"A": "b"})
    assert removed(text) == "\n# mine\n[tui]\nx = 1\n"
    quoted = "[ mcp_servers . 'rawr' ]\ncommand = 'rawr'\nargs = ['mcp']\nenabled = false\n"
    assert entry_in(quoted) == Entry("rawr", ("mcp",), enabled=False)
    assert removed(quoted) == ""


@pytest.mark.parametrize(
    "entry",
    [
        'command = "rawr"\nargs = ["serve"]',
        'command = "/bin/sh"\nargs = ["mcp"]',
        'url = "https://x.invalid"',
        "command = 7",
    ],
)
def test_somebody_elses_server_of_that_name_is_foreign(entry: str) -> None:
    assert entry_in(f"[mcp_servers.rawr]\n{entry}\n") == "foreign"


def test_a_python_that_runs_rawr_is_rawr() -> None:
    assert Entry("/usr/bin/python3", ("-m", "rawr", "mcp")).is_rawr


def test_a_mark_at_the_start_of_the_file_hides_nothing() -> None:
    table = "[mcp_servers.rawr]\ncommand = 'rawr'\nargs = ['mcp']\n"
    assert removed(BOM + table + "[tui]\nx = 1\n") == BOM + "[tui]\nx = 1\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("text", ["", BOM, THEIRS])
def test_what_somebody_made_of_the_entry_is_still_known_by_its_comment(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    changed = added(text, RAWR).replace('"mcp"]', '"mcp", "x"]')
    assert (entry_in(changed), is_marked(changed)) == ("foreign", True)
    assert removed(changed) == text
    apart = changed.replace(COMMENT, f"{COMMENT}{newline}{newline}# mine")
    assert is_marked(apart)


def test_a_comment_that_is_now_the_first_line_goes_too() -> None:
    text = added("", RAWR).lstrip("\n") + "[tui]\nx = 1\n"
    assert is_marked(text)
    assert removed(text) == "[tui]\nx = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "[mcp_servers.rawr]\ncommand = 'other'\n",
        f"{COMMENT}\n[mcp_servers.docs]\ncommand = 'docs'\n[mcp_servers.rawr]\ncommand = 'other'\n",
        f"{COMMENT}\nmodel = 'x'\n[mcp_servers.rawr]\ncommand = 'other'\n",
    ],
)
def test_an_entry_elsewhere_is_not_rawrs(text: str) -> None:
    assert (entry_in(text), is_marked(text)) == ("foreign", False)


@pytest.mark.parametrize("text", ["[[mcp_servers]]\ncommand = 'x'\n", "mcp_servers = 5\n", "mcp_servers = 'x'\n"])
def test_servers_that_are_no_table_are_named(text: str) -> None:
    for read in (entry_in, removed, lambda text: added(text, RAWR)):
        with pytest.raises(Unfit, match=r"mcp_servers is not a table; .* \[mcp_servers.NAME\]"):
            read(text)


@pytest.mark.parametrize("text", ["mcp_servers = { docs = { command = 'x' } }\n", "model = \n"])
def test_a_file_that_cannot_take_it_is_left_alone(text: str) -> None:
    with pytest.raises(Unfit):
        added(text, RAWR)


def test_an_entry_that_cannot_be_cut_out_is_left_alone() -> None:
    with pytest.raises(Unfit):
        removed("mcp_servers.rawr = { command = 'rawr', args = ['mcp'] }\n")


@given(st.text(), st.text())
def test_any_path_is_read_as_it_was_written(command: str, home: str) -> None:
    entry = Entry(command, ("-m", "rawr", "mcp"), {"RAWR_HOME": home})
    try:
        text = added(THEIRS, entry)
    except Unfit:
        assert any("\ud800" <= one <= "\udfff" for one in command + home)
        return
    assert tomllib.loads(text)["mcp_servers"]["rawr"]["command"] == command
    assert entry_in(text) == entry
    assert removed(text) == THEIRS
    assert COMMENT in text
