"""Labels of turn ends, and the signals measured on them: a small history by hand, with a label file of its own."""

import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest
from calibration import labels
from calibration.__main__ import table
from calibration.choosing import candidates, choose
from calibration.ends import ends_of, file_hash, turn_ends
from calibration.figures import figures, words
from calibration.labels import BadLabel, Label
from calibration.languages import guess
from calibration.measuring import Score, measure
from calibration.places import Place, shown
from calibration.places import choose as choose_places
from calibration.places import write as write_places
from msgspec.structs import replace

from rawr.backtest.pool import backtest_file, over
from rawr.core.policy.policy import Policy
from rawr.history.files import at
from tests.backtest.sessions import Session, policy
from tests.history.full import command, session, turn, write
from tests.history.rollouts import called, envelope, item, returned

ROOT = Path(__file__).resolve().parents[1]
DONE = "The work is complete, and all checks pass."
ASKED = "The parser is done. Shall I go on with the lexer?"
SUMMED_UP = "In summary, the lexer reads every file."


def work(name: str, says: str, *, minute: int, words: str = "Build the parser.") -> list[bytes]:
    ran = command("make", "ok", call=f"call_{name}")
    return turn(name, words, *ran, tokens=1_000 * minute, spent=1_000 * minute, minute=minute, says=says)


def spoken(*says: str) -> list[bytes]:
    """A session with a turn of work for each of the agent's answers."""
    meta = envelope("session_meta", {"id": "s", "cwd": "/project", "cli_version": "0.150.0"})
    return [meta, *(line for n, text in enumerate(says) for line in work(f"T{n}", text, minute=n + 1))]


def unnamed(*says: str) -> list[bytes]:
    """The same from before Codex named its turns: the next message of the user ends one."""
    lines = [envelope("session_meta", {"id": "s", "cwd": "/project", "cli_version": "0.34.0"})]
    for n, text in enumerate(says):
        said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"Step {n}"}]}
        answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        lines += [item(said), called("shell", {"command": ["ls"]}, call=f"c{n}"), returned("a", call=f"c{n}")]
        lines.append(item(answer))
    return lines


def test_a_turn_end_is_the_line_of_the_agents_last_message(tmp_path: Path) -> None:
    path = write(tmp_path, session())
    lines = path.read_bytes().splitlines()
    ends = ends_of(path)
    assert [end.asked for end in ends] == ["Build the parser.", "Commit it.", "Now the lexer."]
    assert all(b'"role":"assistant"' in lines[end.line - 1] for end in ends)
    assert [end.next for end in ends] == ["Commit it.", "Now the lexer.", ""]
    assert ends[1].commands == [("git commit -m Parser", 0)]


def test_a_turn_end_before_turns_had_names_is_there_too(tmp_path: Path) -> None:
    ends = ends_of(write(tmp_path, unnamed(DONE, ASKED)))
    assert [(end.line, end.said, end.next) for end in ends] == [(5, DONE, "Step 1"), (9, ASKED, "")]


def test_a_turn_without_work_has_nothing_to_label(tmp_path: Path) -> None:
    talk = turn("T", "Hello.", tokens=100, spent=100, minute=1, says="Hello.")
    assert ends_of(write(tmp_path, [envelope("session_meta", {"id": "s", "cwd": "/"}), *talk])) == []


def test_what_a_resumed_session_repeats_comes_once(tmp_path: Path) -> None:
    first = write(tmp_path, spoken(DONE), "rollout-2026-01-02T03-04-05-a.jsonl")
    second = write(tmp_path, spoken(DONE, ASKED), "rollout-2026-01-02T04-04-05-b.jsonl")
    found = [(name, end.said) for name, _, end in turn_ends([first, second])]
    assert found == [(file_hash(first), DONE), (file_hash(second), ASKED)]


def test_no_repository_has_more_than_its_share(tmp_path: Path) -> None:
    many = write(tmp_path / "many", spoken(*(f"Added part {n}." for n in range(40))), "rollout-a.jsonl")
    few = [write(tmp_path / f"few{n}", spoken(f"Fixed it {n}."), f"rollout-{n}.jsonl") for n in range(10)]
    found = candidates(turn_ends([many, *few]))
    chosen = choose(found, {}, count=20, seed=1)
    assert len(chosen) == 13
    assert sum(one.repository == "many" for one in chosen) == 3
    assert chosen == choose(found, {}, count=20, seed=1)
    labelled = {one.id: labels.label(one.id, "done") for one in chosen}
    assert not labelled.keys() & {one.id for one in choose(found, labelled, count=20, seed=1)}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Updated `main.py`; the tests pass.", "en"),
        ("Erledigt. Die Prüfung ist grün, und das Modul wurde ergänzt.", "de"),
        ("C’est fait : les tests passent et le module est à jour dans le dépôt.", "fr"),
        ("已修复。测试通过。", "zh"),
        ("修正しました。テストも通っています。", "ja"),
        ("수정했습니다. 테스트도 통과했습니다.", "ko"),
        ("Đã cập nhật xong, build đã pass.", "vi"),
        ("Готово: тесты проходят.", "ru"),
        ("", "en"),
    ],
)
def test_the_language_is_guessed_by_script_and_small_words(text: str, language: str) -> None:
    assert guess(text) == language


def test_labels_are_kept_sorted_and_without_words(tmp_path: Path) -> None:
    file = tmp_path / "labels.tsv"
    given = [
        Label("b" * 12, 7, "partly", "no", "yes", "de"),
        Label("a" * 12, 12, "done"),
        Label("a" * 12, 3, "question"),
    ]
    labels.write({one.id: one for one in given}, file)
    assert file.read_text().splitlines() == [
        "hash\tline\tlabel\tshift\tconcluding\tlanguage\thalf",
        f"aaaaaaaaaaaa\t3\tquestion\tunknown\tunknown\ten\t{labels.half('aaaaaaaaaaaa:3')}",
        f"aaaaaaaaaaaa\t12\tdone\tunknown\tunknown\ten\t{labels.half('aaaaaaaaaaaa:12')}",
        f"bbbbbbbbbbbb\t7\tpartly\tno\tyes\tde\t{labels.half('bbbbbbbbbbbb:7')}",
    ]
    assert labels.read(file) == {one.id: one for one in given}


def test_a_quarter_is_held_out_by_the_id_alone() -> None:
    halves = [labels.half(f"{n:012x}:{n}") for n in range(4_000)]
    assert 0.22 < halves.count("held_out") / len(halves) < 0.28


@pytest.mark.parametrize(("name", "kind"), [("short:1", "done"), ("a" * 12, "done"), ("a" * 12 + ":1", "finished")])
def test_what_is_no_label_is_refused(name: str, kind: str) -> None:
    with pytest.raises(BadLabel):
        labels.label(name, kind)


def test_the_shipped_labels_can_be_read_and_say_their_half() -> None:
    found = labels.read()
    rows = [line.split("\t") for line in labels.FILE.read_text().splitlines()[1:]]
    assert len(found) == len(rows) >= 400
    assert all(labels.half(":".join(row[:2])) == row[6] for row in rows)


def test_signals_are_measured_as_the_arbiter_sees_them(tmp_path: Path) -> None:
    path = write(tmp_path, spoken(DONE, ASKED, "I changed it.", SUMMED_UP))
    name = file_hash(path)
    lines = [end.line for end in ends_of(path)]
    given = [
        Label(name, lines[0], "done", "no", "no"),
        Label(name, lines[1], "question", "no", "no"),
        Label(name, lines[2], "done", "no", "no", "zh"),
        Label(name, lines[3], "done", "unknown", "yes"),
        Label(name, 1, "done"),
        Label("0" * 12, 1, "done"),
    ]
    measured = measure(given, [path], Policy())
    totals: dict[str, Score] = {}
    for (_, signal, group), score in measured.scores.items():
        if group == "all":
            total = totals.setdefault(signal, Score())
            total.labels, total.true = total.labels + score.labels, total.true + score.true
            total.seen, total.right = total.seen + score.seen, total.right + score.right
    assert totals == {
        "agent_done": Score(labels=4, true=3, seen=2, right=2),
        "topic_shift": Score(labels=3, true=0, seen=0, right=0),
        "concluding": Score(labels=4, true=1, seen=1, right=1),
    }
    assert (measured.missing_files, measured.missing_labels, measured.lost) == (1, 1, 1)
    assert all(one.half == "tune" for ones in measured.wrong.values() for one in ones)
    assert table(measured)[0] == "1 files with 1 labels are not in this history."


def test_a_new_topic_belongs_to_the_turn_before_the_message(tmp_path: Path) -> None:
    """It is seen with the first message of the next turn, and not counted for that one."""
    orders = ("Implement phase 1.", "Implement phase 2.", "Sort the list in it.")
    meta = envelope("session_meta", {"id": "s", "cwd": "/project", "cli_version": "0.150.0"})
    turns = [work(f"T{n}", f"Added part {n}.", minute=n + 1, words=words) for n, words in enumerate(orders)]
    path = write(tmp_path, [meta, *(line for lines in turns for line in lines)])
    name, ends = file_hash(path), ends_of(path)
    given = [Label(name, ends[0].line, "unknown", "yes"), Label(name, ends[1].line, "unknown", "no")]
    rules = replace(Policy(), compaction=replace(Policy().compaction))
    measured = measure(given, [path], rules)
    found = [
        score for (_, signal, group), score in measured.scores.items() if (signal, group) == ("topic_shift", "all")
    ]
    assert sum(one.seen for one in found) == sum(one.right for one in found) == 1
    assert not [signal for _, signal, _ in measured.scores if signal == "agent_done"], "nobody looked at that"


def test_label_and_calibrate_from_the_command_line(tmp_path: Path) -> None:
    write(tmp_path / "history" / "project", spoken(DONE, ASKED))
    file = tmp_path / "labels.tsv"

    def run(*words: str) -> str:
        done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout

    tool = ("scripts/labels.py", "--labels", str(file))
    history = str(tmp_path / "history")
    shown = run(*tool, "sample", history, "--count", "5")
    ids = [line.split()[1] for line in shown.splitlines() if line.startswith("=== ")]
    assert len(ids) == 2
    assert DONE in shown
    for name in ids:
        run(*tool, "add", name, "done", "--shift", "no", "--concluding", "no")
    assert run(*tool, "sample", history, "--count", "5") == ""
    assert "done" in run(*tool, "show", history, ids[0])
    assert "all            2         2" in run(*tool, "stats")
    assert "agent_done   English" in run("-m", "calibration", history, "--labels", str(file))


# -- figures and places -----------------------------------------------------------------------------------------------


def lasting(folder: Path, name: str) -> Path:
    """A session with two clean places, and a commit at each."""
    one = Session(session=name)
    one.calls = crc32(name.encode())
    for part, held in enumerate((120_000, 200_000)):
        one.begin(f"Write part {part} of {name}.").work(held - 20_000).work(held, cached=held - 5_000)
        one.patch().run("make test").commit(f"Part {part}").end(f"Part {part} is written and committed.")
    one.begin("Now something else.").work(201_000).end()
    path = folder / f"rollout-2026-01-02T03-04-05-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in one.lines))
    return path


def shipped() -> Policy:
    """With less of a pause between two compactions, so that a session may be short."""
    return policy(cooldown_turns=1, cooldown_seconds=0)


def test_figures_are_those_of_the_backtest(tmp_path: Path) -> None:
    for name in ("a", "b"):
        lasting(tmp_path, name)
    found = figures(at(tmp_path), shipped(), workers=1)
    assert (found.sessions, found.turns, found.choice, found.choice_share) == (2, 6, 4, 100.0)
    assert list(found.cost_against) == ["codex", "native:50", "native:60", "native:70", "native:80"]
    assert "foreseeable compactions preceded" in "\n".join(words(found))


def test_a_place_shows_what_was_before_and_what_the_user_said_next(tmp_path: Path) -> None:
    path = lasting(tmp_path / "history" / "someone__project", "a")
    first, second = (Place(path, one) for one in backtest_file(str(path), [shipped()])[0][0].would_compact)
    found = shown(first, lines=3)
    assert [line[:5] for line in found.before] == ["RAN  ", "RAN  ", "AGENT"]
    assert (found.before[-1], found.next) == ("AGENT Part 0 is written and committed.", "Write part 1 of a.")
    assert shown(second).next == "Now something else."
    assert shown(second).before[0].startswith("USER  Write part 0")


def test_readers_are_not_told_what_rawr_saw(tmp_path: Path) -> None:
    lasting(tmp_path / "history" / "someone__project", "a")
    lasting(tmp_path / "history" / "other__project", "b")
    results = [one for (one,) in over(at(tmp_path / "history"), [shipped()], workers=1)]
    found = [Place(Path(one.file), would) for one in results for would in one.would_compact]
    chosen = choose_places(found, count=3, seed=1)
    assert chosen == choose_places(found, count=3, seed=1)
    assert {one.repository for one in chosen} == {"someone__project", "other__project"}
    key = write_places(chosen, tmp_path / "out")
    texts = [path.read_text() for path in sorted((tmp_path / "out").iterdir())]
    assert len(texts) == 3
    assert not any(word in text for text in texts for word in ("asap", "ready", "percent", "agent_done"))
    assert all(text.count("=== the user's next message ===") == 1 for text in texts)
    assert key.parent == tmp_path
    assert key.read_text().count("commit") == 3


def test_places_do_not_go_into_the_checkout(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "calibration.places", str(tmp_path), "bench/places"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "in the checkout" in ended.stderr
