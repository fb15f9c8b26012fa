"""Is the agent done? From the shape of its turn, then from its words (A5, B8, D8). The messages here are made up."""

import pytest
from msgspec.structs import replace

from rawr.core.compaction.endings import LARGE_ORDER, signals
from rawr.core.compaction.finished import contrary, finished
from rawr.core.compaction.prose import LONG, prose_of
from rawr.core.policy.compaction import AutoCompaction
from rawr.core.state.turn import TurnOutcome
from rawr.prompts.catalog import PROMPTS, shipped
from rawr.prompts.document import split

WORKED = TurnOutcome("T", "completed", 0, commands=3, files=("a.py",))
MEASURED = AutoCompaction()


def said(text: str, turn: TurnOutcome = WORKED) -> TurnOutcome:
    return replace(turn, agent_text=text)


@pytest.mark.parametrize(
    "text",
    [
        "Updated the parser and added a test for nested lists.",
        "Done. The flag is read from the config now.",
        "✅ The build is green again.",
        "**What changed**\n- the loader caches\n\n**Tests**\n- `make test` passes",
        "Fixed. No remaining work.\n\nIf you want, I can also add a changelog line.",
        "Implemented the cache. Next steps for you: run the migration and reload the page.",
        "Erledigt. Der Filter greift jetzt auch bei leeren Listen.",
        "J'ai corrigé le calcul et ajouté un test.",
        "Listo. El botón ya guarda el formulario.",
        "已修复。现在空列表也会正确处理。",
        "Renamed the key. Restart the server to see it.",
        "Updated the list.\n[x] Parser\n[x] Printer",
        "改好了,重新运行就能看到效果。",
        "修正しました。テストも通っています。",
        "버튼 색을 바꿨습니다. 테스트는 통과합니다.",
        "Đã thêm kiểm tra cho danh sách rỗng.",
        "Готово: фильтр работает и для пустых списков.",
    ],
)
def test_done(text: str) -> None:
    assert finished(said(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Updated the parser. Should I also change the printer?",
        "The lexer is finished. Remaining tasks: the parser and the printer.",
        "Phase 4 is complete. Next up: Phase 5.",
        "I couldn't run the migration: the database is locked.",
        "Added the flag. I'll now wire it into the loader.",
        "Two ways are possible. Reply with the option letter.",
        "Please confirm that the old file can go.",
        "Step 3 of 5 is done. Continue? (y/n)",
        "All validations are complete.\n[C] Complete the workflow",
        "The parser is fixed, but the printer is not yet implemented.",
        "Der Parser ist fertig. Noch offen: der Drucker.",
        "Le module est prêt. Il reste à brancher la page.",
        "已完成解析部分。接下来我会继续写打印部分。",
        "两种方案都可以。请告诉我选哪个。",
        "修正しました。続けて次の画面に進みます。",
        "수정했습니다. 이어서 다음 화면을 진행하겠습니다.",
        "",
    ],
)
def test_not_done(text: str) -> None:
    assert finished(said(text)) is None


@pytest.mark.parametrize(
    "turn",
    [
        replace(WORKED, commands=0, files=()),
        replace(WORKED, agent_phase="commentary"),
        replace(WORKED, status="interrupted"),
        replace(WORKED, files=()),
    ],
    ids=["nothing was done", "Codex calls it commentary", "interrupted", "nothing supports it"],
)
def test_the_shape_decides(turn: TurnOutcome) -> None:
    assert finished(said("There are three of them in that folder.", turn)) is None


def test_the_evidence_is_for_people() -> None:
    found = finished(said("Updated the parser.", replace(WORKED, agent_phase="final_answer")))
    assert found is not None
    assert found.evidence == ("1 files changed", "Codex calls it the final answer")


def test_code_and_quotations_are_not_the_agents_words() -> None:
    text = "Fixed the prompt.\n\n```sh\nread -p 'Continue? (y/n)'\n```\n\n> please confirm\n\nIt says `next up:` now."
    assert contrary(prose_of(text)) == ""


def test_concluding_is_a_larger_piece_of_work() -> None:
    text = "Implemented the export. " + "It writes one file per sheet and keeps the formats. " * 10
    large = replace(said(text), commands=12, asked=LARGE_ORDER)
    assert [kind for kind, _, _ in signals(large, MEASURED)] == ["agent_done", "concluding"]
    assert [kind for kind, _, _ in signals(replace(large, asked=40), MEASURED)] == ["agent_done"]


def test_a_phrase_of_the_frontmatter_counts_where_nothing_speaks_against_it() -> None:
    bare = replace(WORKED, files=())
    assert [kind for kind, _, _ in signals(said("And so the table is done", bare), MEASURED)] == ["agent_done"]
    assert list(signals(said("The table is done. What remains to be done: the index.", bare), MEASURED)) == []


def test_what_rawr_itself_says_is_no_completion() -> None:
    """B8: an agent that repeats a prompt of rawr's says nothing about its work."""
    for prompt in PROMPTS:
        bare = replace(WORKED, files=())
        _, body, _ = split(shipped(prompt))
        assert finished(said(body, bare)) is None, prompt.name


def test_no_message_takes_long() -> None:
    """Words with which many phrases begin, and none that ends one."""
    words = "next remaining still not to is haven't i will we moving phase no nothing none "
    contrary((words * LONG)[:LONG])


@pytest.mark.parametrize(
    "text",
    [
        "The cause was a lock that was never released. It is released now.",
        "The speed did not suffer. All 12 tests pass.",
        "It wasn't the network but a missing index.",
        "The pager was wrong; I corrected it. No code of the API was touched.",
    ],
)
def test_what_had_been_wrong_is_not_open(text: str) -> None:
    assert contrary(prose_of(text)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "All 12 tests pass. The speed does not convince.",
        "It wasn't the network but an index, and the index is not there.",
        "The pager was wrong; I corrected it. No page has a title.",
    ],
)
def test_what_is_said_last_weighs_most(text: str) -> None:
    assert contrary(prose_of(text)) != ""


def test_of_several_reasons_the_weightiest_is_told() -> None:
    """Whether a plan's step leaves something open goes by the reason: it must be the same in each process."""
    text = "The rest follows tomorrow. I could not run the tests. Three tests are failing. Please confirm the name."
    assert contrary(prose_of(text)) == "it waits for somebody"
