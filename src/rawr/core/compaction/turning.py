"""How users turn to something else, and how they refer back to what they have, in the languages of real sessions.

Words alone decide nothing here: ``topic`` says what they follow from.
"""

import re

_PRAISE = (
    r"ok(?:ay)?|great|good|nice|perfect|cool|thanks|thank you|hey|hi|alright|excellent|awesome|super|parfait|merci|"
    r"très bien|gut|danke|perfekt|bene|perfetto|grazie|perfecto|gracias|ótimo|obrigad[oa]|отлично|хорошо|спасибо|"
    r"tuyệt|tốt|cảm ơn|好的?|很好|不错|谢谢|좋아요?|감사합니다|ありがとう(?:ございます)?"
)
_ORDERS = (
    r"let'?s|give|tell|make|create|add|write|build|implement|help|please|set|update|start|move on|show|generate|review|"
    r"explain|go|change|(?:we|i)(?:'d| would)? (?:want|need|like|should|can|will|are supposed)"
)
TURNS = re.compile(
    rf"(?:(?:{_PRAISE})[\s,.!;:\uff0c\u3002\uff01-]+){{0,3}}(?:"
    rf"(?:and )?(?:now|next)[,:]? (?:{_ORDERS})\b|next (?:task|feature|thing|topic|story)\b|"
    r"(?:let'?s|lets) (?:now|move on|switch to|start (?:on|with)|work on)\b|moving on\b|switching to\b|"
    r"(?:a )?(?:new|different|separate|unrelated) (?:task|topic|feature|question|request|story)\b|"
    r"maintenant[, ]|passons à|autre (?:sujet|tâche)|nouvelle (?:tâche|fonctionnalité)|"
    r"als nächstes|jetzt (?:bitte|noch|zu)|neue (?:aufgabe|funktion)|anderes thema|"
    r"ora (?:crea|aggiungi|implementa|passiamo)|passiamo a|nuova (?:funzione|attività)|"
    r"ahora (?:crea|agrega|añade|implementa|vamos)|pasemos a|nueva (?:tarea|función)|"
    r"agora (?:crie|adicione|implemente|vamos)|nova (?:tarefa|função)|"
    r"теперь (?:сделай|добавь|создай|давай|нужно)|следующая задача|новая задача|"
    r"bây giờ (?:thêm|tạo|hãy)|tiếp theo (?:thêm|tạo|hãy)|"
    r"接下[来去](?:我要|我想|我们|请|做|实现|开发|完善)|下一个(?:任务|功能|需求)|换个(?:话题|任务)|"
    r"现在(?:新建|开始做|我要做|我想做)|新(?:需求|功能|任务)|"
    r"次は|次の(?:タスク|機能)|別の(?:件|話|タスク)|今度は|이제 |다음 (?:작업|기능)|새로운 (?:작업|기능))"
)
"""At the beginning of a message, in lower case: what comes now is something else."""

# fmt: off
BACK = frozenset({
    "it", "its", "this", "that", "these", "those", "they", "them", "same", "again", "still", "also", "too", "instead",
    "another", "more", "previous", "previously", "above", "back", "revert", "undo", "redo", "rest", "remaining",
    "continue", "resume", "proceed", "error", "errors", "bug", "failed", "fails", "failing", "broken", "wrong",
    "ce", "cet", "cette", "ces", "ça", "cela", "celui", "celle", "même", "encore", "aussi", "toujours", "donc", "reste",
    "suite", "erreur",
    "das", "dies", "diese", "dieser", "dieses", "diesen", "es", "noch", "nochmal", "wieder", "auch", "weiter",
    "stattdessen", "fehler",
    "questo", "questa", "questi", "queste", "quello", "quella", "ancora", "anche", "invece", "continua", "stesso",
    "errore",
    "esto", "eso", "esta", "este", "estos", "estas", "ese", "esa", "aún", "todavía", "también", "sigue", "continúa",
    "mismo",
    "isto", "isso", "essa", "esse", "ainda", "também", "mesmo", "erro",
    "это", "этот", "эта", "эту", "эти", "этого", "ещё", "еще", "снова", "опять", "также", "тоже", "продолжай",
    "продолжи", "ошибка",
    "này", "đó", "vậy", "thế", "còn", "lại", "cũng", "nữa", "tiếp", "vẫn", "đấy", "kia", "nó", "lỗi",
})
# fmt: on
"""Words with which a message refers to what there is, or says that it does not work."""
BACK_UNSPACED = re.compile(
    "[这那它他还再刚也又]|继续|上面|之前|一样|为什么|为啥|报错|错误|不行|不对|"
    "これ|それ|この|その|あの|まだ|また(?!は)|続|同じ|さっき|今まで|も含|エラー|"
    "이거|이것|이걸|그거|그것|그럼|그런데|근데|아직|다시|여전히|계속|저거|위에|에러"
)
GOES_ON = re.compile(
    r"\b(?:continu\w*|proceed|resume|go on|carry on|keep going|weiter\w*|procedi|prosegui|sigue|продолж\w*|tiếp tục)\b"
    "|继续|続け|계속"
)
"""What goes on is no new topic, whatever its number is."""
