"""Is what the last turn came to settled? Then nothing is lost if the conversation behind it goes (D8).

An agent can be done with what it was asked, and the place still be a bad one to compact. It explained something, and
what it found out is in the conversation alone. Or it tried something: the user had reported a problem, or is to run it
and see, and goes on from there. docs/signals.md says what came of these at real turn ends, read one by one.
"""

import re
from collections.abc import Set as AbstractSet

from rawr.core.compaction.finished import ANNOUNCES, ENDING, contrary, only_answers
from rawr.core.compaction.orders import request
from rawr.core.compaction.prose import prose_of
from rawr.core.state.thread import ThreadState
from rawr.core.state.turn import TurnOutcome

DONE: frozenset[str] = frozenset({"agent_done", "concluding"})
"""Boundaries that say that the agent is done, and not what became of it."""
PLAN: frozenset[str] = frozenset({"plan_update", "plan_checkpoint"})
"""Signals of the plan alone: steps can be done, and a question be left."""
NEWEST = 2
"""Messages of the user in which a problem that they reported is taken to be open still."""
_REPORT = 300
"""Characters at each end of a message in which the user says what is wrong."""


def is_unsettled(state: ThreadState, kinds: AbstractSet[str]) -> bool:
    """Return True if boundaries of these kinds came at a turn's end that leaves more open than they say."""
    last = state.last_turn
    if last is None or not kinds or not kinds <= DONE | PLAN:
        return False
    return not is_settled(state) if kinds <= DONE else bool(last.failing) or _leaves_open(last) or _is_attempt(state, last)


def is_settled(state: ThreadState) -> bool:
    """Return True if the last turn left its result in files, said so, no check is known to fail, and nobody has to find
    out whether it works."""
    last = state.last_turn
    if last is None or not last.spoke or last.failing or only_answers(last):
        return False
    return not _is_attempt(state, last)


def _is_attempt(state: ThreadState, last: TurnOutcome) -> bool:
    """Return True if it is for the user to find out whether it worked: no check has passed since the last change."""
    if last.files and not last.unchecked:
        return False
    return _in_trouble(state, last) or _TO_TRY.search(prose_of(last.agent_text)[-ENDING:]) is not None


def _leaves_open(last: TurnOutcome) -> bool:
    """Return True if it asks, waits or could not. That more comes is what a plan is for."""
    return contrary(prose_of(last.agent_text)) not in {"", *ANNOUNCES}


def _in_trouble(state: ThreadState, last: TurnOutcome) -> bool:
    """Return True if the user reported a problem lately, and has not said since that it is gone. A run goes on without
    the user: only a message in the turn itself says where they stand."""
    if not last.asked:
        return False
    ledger = state.ledger
    asked = [one.text for one in ledger.directives[-NEWEST:]]
    for text in reversed([ledger.goal, *asked] if len(asked) < NEWEST else asked):
        if _says(_PROBLEM, text):
            return True
        if _says(_WORKS, text):
            return False
    return False


def _says(what: re.Pattern[str], text: str) -> bool:
    text = request(text)
    ends = (text[:_REPORT], text[max(len(text) - _REPORT, _REPORT) :])
    return any(what.search(one.replace("’", "'").lower()) for one in ends)


def _any_of(words: str, *parts: str) -> re.Pattern[str]:
    """Words of languages with spaces between them, and what is found in any place."""
    return re.compile("|".join((rf"\b(?:{words})(?!\w)", *parts)))


_PROBLEM = _any_of(
    # English
    r"still (?:not?|doesn't|isn't|can't|getting|get|see|seeing|fails?|failing|the same|broken|wrong|have|has|having)|"
    r"(?:doesn't|does not|don't|didn't|isn't|is not|not|won't|can't|cannot) "
    r"(?:work|show|appear|load|run|start|see|open|display|update|compile|build|render|respond)\w*|"
    r"(?:an?|the|this|these|following|same|getting|get|got|with|of|have|has) (?:\w+ ){0,2}"
    r"(?:errors?|exceptions?|bugs?|problems?)(?! (?:handl|messag|code|page|type|boundar|class))|"
    r"(?:an|same|following|having|have|has|with) issues?(?! ?#?\d)|"
    r"error:|traceback|crash(?:es|ed|ing)?|fail(?:s|ed|ing)|broken?|wrong|incorrect|"
    r"why (?:is|does|do|did|are|isn't|doesn't|not|am)|"
    # French, German, Spanish, Portuguese, Italian
    r"ne (?:marche|fonctionne)|erreurs?|toujours pas|problèmes?|ça plante|"
    r"geht (?:immer noch )?nicht|funktioniert nicht|fehler|fehlermeldung|immer noch|"
    r"no funciona|sigue sin|não funciona|dá erro|continua sem|non funziona|dà errore",
    # Russian, Vietnamese
    "не работает|ошибк|опять|всё ещё",
    "lỗi|không (?:chạy|được|hoạt)|vẫn (?:chưa|không|bị)",
    # Chinese, Japanese, Korean
    "还是(?:不|没|有|会|那|一样)|不行|问题|报错|错误|不能|不会|不对|为什么|为啥|失败|崩溃|奇怪|看[^。\n]{0,6}日志|"
    "没(?:有)?(?:反应|效果|用|变|出现|出来|成功|显示|生效|看到|触发)|怎么(?:还|又|没|不)",
    "エラー|動かない|動きません|できない|おかしい|不具合|直って",
    r"오류|에러|안\s?(?:돼|되|됨)|여전히|문제",
)
"""What a user says who reports that something does not work."""
_WORKS = _any_of(
    r"(?:works?|working|runs?|fine|solved|fixed) (?:now|fine|well|great|again)|"
    r"(?:it|that|this) (?:works|worked|is fixed)|perfect|great|thanks?|thank you|"
    r"parfait|merci|ça marche|klappt|danke|perfekt|funziona ora|grazie|gracias|obrigad[oa]",
    "спасибо|работает теперь|теперь работает|cảm ơn|được rồi",
    "可以了|好了|正常了|成功了|能用了|没问题|谢谢|(?:可以|正常)(?:运行|用|使用)|运行正常",
    "ありがとう|直りました|動きました",
    "감사|고마|잘 (?:돼|됩|되네)",
)
"""What a user says whose problem is gone."""
_TO_TRY = _any_of(
    r"(?:try|run|test|retest|rerun|restart|reload|relaunch|reproduce)\b[^.\n]{0,60}\b"
    r"(?:again|now|and (?:see|check|confirm|tell|let|verify|send|share|paste))|next time you (?:run|start|open|test)|"
    r"please (?:try|test|run|restart|reload|verify)|let me know (?:if|whether|how|what)|"
    r"if (?:\w+ ){1,4}still|if (?:it|that|this|the \w+) (?:persists|fails)|"
    r"(?:send|share|paste|post) (?:me )?(?:the|any|your) \w+|"
    r"with (?:those|these|that) (?:logs|outputs?|results?),? (?:i|we) can|"
    r"renvoie[zr]?(?:-moi)?|relance[zr]?|schicke?n? (?:mir|sie mir)|gib mir bescheid|envíame|mándame|inviami|mandami|"
    r"envie-me|mande-me",
    "пришлите|отправьте мне|запустите (?:ещё|еще) раз",
    r"gửi (?:lại )?(?:mình|cho mình)|(?:chạy|thử) lại (?:rồi|và)",
    r"(?:重新|再|现在|先|下次|重启|重开)[^。\n]{0,12}(?:测|试|运行|启动|编译|打开|进|调试|跑)|复测|看(?:看)?是否|重启(?:一?次)?(?:调试|编辑器)|"
    r"(?:如果|若)(?:还|仍|再)|告诉我|看看?(?:一下)?日志|日志里|(?:日志|截图|报错|结果)[^。\n]{0,12}(?:给我|发我|发过来|贴)|"
    "下一步(?:就能|应该|才能|再)|应该(?:会|能|就)",
    "(?:ログ|結果)を(?:送|貼|共有)|再実行して",
    "(?:로그|결과)를 (?:보내|공유)|다시 실행",
)
"""What an agent says whose user is to find out whether it works."""
