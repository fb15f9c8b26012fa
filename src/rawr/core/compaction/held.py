"""What a message that rawr holds says about the moment (A16). It goes out after the handoff, so it is read before.

A bare go-ahead speaks for it: the handoff has the words that it answers. One that corrects what was just done speaks
against it: the next turn is about the same edit, and needs the details that would go. Anything else decides nothing.
"""

import re

from rawr.core.state.thread import ThreadState

_BEGINNING = 200
"""Characters in which a message says what is wrong."""
_LONG = 1_200
"""Characters from which on a message is an order of its own, whatever it refers to."""
_CORRECTS = re.compile(
    r"\b(?:revert|undo|roll (?:it|that|this) back|put (?:it|that|this) back|take (?:it|that|this) back|not like that|"
    r"not what i (?:meant|wanted|asked)|that(?:'s| is) (?:wrong|not right|not it)|you (?:forgot|missed|broke)|"
    r"(?:it|this|that|still) (?:fails|crashes|breaks|errors)|(?:doesn't|does not|didn't|did not|isn't|still not) "
    r"(?:work|compile|build|run|start|pass|show)\w*|(?:it|this|that) should (?:not )?(?:be|have|say|return|use)|"
    r"(?:wrong|incorrect) (?:file|name|place|value|type|way)|instead of (?:that|this|what you)|"
    r"actually,? (?:no|make|use|call)|"
    r"rename (?:it|that|this)|(?:use|call it|make it) \S+ instead|typo|"
    r"annule|ce n'est pas|ça ne (?:marche|fonctionne)|toujours pas|mach (?:das )?rückgängig|nicht so|"
    r"geht (?:immer )?noch nicht|"
    r"das ist falsch|stimmt nicht|deshaz|eso no|no funciona|sigue sin|annulla|non funziona|desfaz|não funciona|"
    r"отмени|верни|не так|не работает|неправильно|hoàn tác|sai rồi|không đúng|vẫn (?:lỗi|chưa))(?!\w)"
    r"|撤销|还原|回退|不对|错了|不行|还是(?:不|没|报错)|改回|元に戻|違う|間違|まだ(?:動|エラー)|되돌려|틀렸|아니야|여전히",
)


def corrects(state: ThreadState, text: str) -> bool:
    """Return True if the message goes on with the edit that the last turn made. Without an edit there is none."""
    last = state.last_turn
    if last is None or not (last.files or last.changed_tree) or len(text) > _LONG:
        return False
    return _CORRECTS.search(text[:_BEGINNING].lower().replace("’", "'")) is not None
