"""How agents end a turn, in the languages that real sessions have: lists of phrases.

They were collected by reading turn ends of other people's sessions (``calibration/``). A list says what a message may
*contain*; ``finished`` says where to look and what follows. How a phrase is written, says ``finding``.
"""

from rawr.core.compaction.finding import Wording

WAITS = Wording(
    # The agent waits for an answer, with or without a question mark.
    (
        r"let me <know> (?:how|which|what|when|once|where|whether|if you(?:'d| would) (?:like|prefer))",
        r"please (?:confirm|choose|select|provide|reply|advise|clarify|specify|share|paste|approve|pick|tell me)",
        r"(?:<awaiting>|<waiting> (?:for|on)) (?:your|the user|approval|confirmation|input|further)",
        r"reply with",
        r"respond with",
        r"<choose|pick|select|type|enter> (?:a |an |one |the |your )?(?:number|option|letter|of the)",
        r"(?:need|needs|require|requires) (?:your )?(?:<approval|confirmation|decision|input|permission>|a <decision>)",
        r"<once|when|after> you(?:'ve| have)? (?:confirm|approve|decide|reply|answer|provide|choose|pick|give|are ready|say)\w*",
        r"as <soon> as you(?:'ve| have)? (?:confirm|approve|decide|reply|answer|provide|choose|pick|give|are ready|say)\w*",
        r"tell me (?:which|what|how|when|if you want)",
        r"how (?:would|do) you (?:like|want) (?:me )?to <proceed|continue|handle>",
        r"your <call|choice|decision>",
        r"i(?:'<ll>| <will>) (?:proceed|continue|go ahead|start|implement|apply|update) (?:once|when|after|as soon)",
        r"(?:remains?|still|is|are) <blocked>",
        r"to <unblock>",
        r"cannot (?:start|proceed|continue|begin|be (?:executed|started|completed))",
        r"can't (?:start|proceed|continue|begin|be (?:executed|started|completed))",
        r"can not (?:start|proceed|continue|begin|be (?:executed|started|completed))",
        r"(?:we|i) can (?:then )?<restart|rerun|resume|proceed>",
        r"<once|after> (?:the|those|these|that|this|it)\b.{0,60}(?:is|are) (?:in place|settled|resolved|ready|available|fixed|done)",
        r"you can <type>",
        r"option [a-d]\b.{0,200}\boption [b-e]",
    ),
    (
        r"<confirme|confirmer|confirmez>(?:-moi)?",
        r"<répond|réponds|répondez|répondsez>",
        r"<indique|indiquer|indiquez>(?:-moi)?",
        r"<dis>[- ]moi",
        r"<dites>[- ]moi",
        r"<souhaite|souhaites>(?:-tu|-vous)",
        r"veux-tu",
        r"voulez-vous",
        r"continuer vers",
        r"<choisis|choisissez>",
    ),
    (
        r"bitte (?:bestätig|gib|wähl|antwort|sag)\w*",
        r"<sag|sage> mir",
        r"soll ich",
        r"möchtest du",
        r"welche (?:option|variante)",
    ),
    (r"confermare", r"<conferma|confermami>", r"fammi sapere", r"dimmi", r"vuoi che"),
    (r"confirme", r"me <avise|diga|informe>", r"quer que", r"qual (?:opção|prefere)", r"preciso d[aeo] su[ao]"),
    (r"<confirma|confirmame>", r"dime", r"quieres que", r"avísame", r"elige"),
    (r"хотите", r"подтвердите", r"ответьте", r"скажите", r"выберите", r"вы можете ответить", r"нужно ваше"),
    (r"cho mình biết", r"bạn (?:chọn|xác nhận|muốn mình)", r"hãy (?:chọn|xác nhận|trả lời)"),
    (
        "请(?:回复|确认|选择|告诉|提供|决定|回答|指定|先确认)",
        "告诉我",
        "二选一",
        "三选一",
        "你(?:选|来定|决定|确认|认可|同意|更倾向|希望哪|要哪|看(?:是否|要不要))",
        "要不要",
        "是否(?:需要|继续|要我)",
        "等你",
        "如果(?:你)?(?:认可|同意|确认|没问题|可以的话)",
        "先确认",
        "需要你(?:确认|决定|选|提供|回复)",
        "回(?:复|我)",
    ),
    (
        "どうしますか",
        "進めますか",
        "指示が必要",
        "指示をください",
        "選んでください",
        "教えてください(?!。?$)",
        "確認してください",
        "よろしいですか",
        "でしょうか",
        "お願いします",
    ),
    ("할까요", "될까요", "알려\\s?주세요", "선택해", "확인해\\s?주세요", "진행해도", "원하시나요"),
)
"""In the last lines: the turn ends on the user."""

UNABLE = Wording(
    (
        r"could n[o']t",
        r"couldn't",
        r"can not",
        r"can't",
        r"(?:wasn't|was not|am not|not) <able>",
        r"unable",
        r"(?:is|are|was|were|got|am|i'm|remains?|still) (?:currently )?<blocked>",
        r"blocked by",
        r"blocker",
        r"failed",
        r"fails",
        r"failing",
        r"no <changes|edits> (?:were )?(?:made|applied)",
        r"(?:<did> not|<didn>'t) (?:make|apply|change|finish|complete|work|succeed)",
        r"not <possible|complete|completed|finished|done|ready>",
        r"i(?:'m| am) (?:now )?(?:<applying|doing|working|running|checking|updating|implementing|adding|fixing>|<going> to|<about> to)",
        r"i <stopped>",
        r"stopped (?:here|before|because)",
        r"<paused|pausing>",
        r"timed out",
        r"interrupted",
        r"(?:in|still in) <progress>",
        r"underway",
        r"need (?:more|additional|the)",
        r"missing",
    ),
    (r"échou\w*", r"impossible", r"je n(?:'ai|e peux|e parviens)", r"bloqu\w+", r"en <cours>"),
    (r"konnte nicht", r"leider", r"fehlgeschlagen", r"nicht möglich", r"blockiert", r"läuft noch"),
    (r"non (?:posso|sono riuscit|è stato possibile)\w*", r"fallit\w+"),
    (r"não (?:consegui|foi possível|posso)", r"falhou"),
    (r"no (?:<pude|puedo>|<fue> posible|<he> podido)", r"falló"),
    (r"не (?:удалось|могу|смог|получилось)", r"ошибка"),
    (r"không thể", r"chưa (?:thể|xong|hoàn thành|làm)", r"thất bại", r"bị lỗi"),
    (
        "无法(?:继续|完成|执行|启动)",
        "没法(?:继续|完成)",
        "失败了",
        "执行失败",
        "还没(?:有)?(?:完成|改|做)",
        "未完成",
        "正在",
        "不能(?:继续|执行)",
        "被(?:拒绝|阻止)",
        "没有成功",
    ),
    ("できません", "失敗", "まだ", "できなかった", "中断", "途中"),
    ("실패", "할 수 없", "못했", "아직", "중단", "진행 중"),
)
"""In the opening: it did not come to an end."""

REMAINS = Wording(
    (
        r"next (?:up|focus|phase|milestone|on the list|batch|i(?:'ll| will)|is (?:phase|task|step))",
        r"<next>[,:] (?:i(?:'ll| will|'m)|phase|task|step|we)",
        r"remaining (?:work|tasks?|items?|steps?|phases?|pieces?|todos?|stories|failures?|errors?|issues?|gaps?)(?!:? (?:none|0|zero|is none))",
        r"(?:still|what's|what is|work) (?:<left|remaining|outstanding|pending|missing|open>|to <do>)",
        r"<yet|still|remain|remains|left> to (?:be )?(?:do|done|implement|implemented|add|added|fix|fixed|wire|wired|finish|finished)",
        r"not <yet|been> (?:implemented|done|started|complete[d]?|finished|wired|added|addressed|integrated)",
        r"to <be> (?:done|implemented|continued|completed|added) (?:next|later|in)",
        r"(?:is|are|was|were) (?:still )?(?:<underway|pending|incomplete|unfinished|outstanding>|in <progress>)",
        r"<haven>'t (?:yet |been )?(?:done|started|implemented|finished|wired|touched|run the|completed)",
        r"no <commit> was created",
        r"i(?:'<ll>| <will>) (?:now |next |then |start|begin|continue|proceed|move|run|keep|follow|tackle|work|finish|add|update|implement|check|wire|do)\w*",
        r"i(?:'<m>| <am>) (?:now |next |going )?(?:moving|continuing|proceeding|turning|starting|to (?:continue|start|run))\w*",
        r"we(?:'<ll>| <will>) (?:continue|proceed|move|start|tackle)",
        r"<moving|continuing|turning|going> (?:on )?(?:to|with) (?:phase|task|step|the (?:next|remaining))",
        r"<partial|partially> (?:done|complete[d]?|implemented|finished)",
        r"to (?:<do>:|<dos>)",
        r"<blocked>[:)]",
        r"in <progress>[:)]",
        r"phase \d+ (?:is )?<next|pending>",
    ),
    (
        r"à faire",
        r"<reste|restent> à",
        r"il <reste>",
        r"prochaine (?:étape|phase) ?:",
        r"on <enchaîne>",
        r"je (?:vais|passe|continue|lance)",
        r"pas encore",
    ),
    (
        r"offen bleibt",
        r"noch (?:offen|zu tun|nicht)",
        r"als nächstes",
        r"ich <werde>",
        r"steht noch aus",
        r"fehlt noch",
    ),
    (r"<resta|restano> da", r"da <fare>", r"prossim\w+ pass\w+ ?:", r"non ancora"),
    (r"ainda (?:falta|não)", r"próximo passo ?:", r"<falta|faltam> (?:fazer|implementar)", r"vou (?:agora|continuar)"),
    (r"<aún|todavía> (?:falta|no)", r"<queda|quedan> (?:por|pendiente)", r"<falta|faltan> por", r"voy a"),
    (r"осталось", r"ещё не", r"еще не", r"следующ\w+ (?:шаг|этап)", r"дальше (?:я|сделаю)"),
    (
        r"còn (?:lại|thiếu|phải)",
        r"chưa (?:làm|xong|hoàn thành|triển khai)",
        r"tiếp theo mình sẽ",
        r"bước tiếp theo mình",
    ),
    (
        "剩余",
        "剩下",
        "还(?:剩|需要|需|差|没|未|有.{0,6}没)",
        "尚未",
        "待(?:完成|处理|实现|办)",
        "接下来我",
        "下一步我(?:会|将|来)",
        "我(?:会|将|再|来)(?:继续|接着|开始)",
        "后续我",
        "完成后我",
        "再接着",
    ),
    ("残り", "未(?:実装|対応|完了|着手)", "次(?:は|に)(?!回)", "続けて", "これから", "進みます", "進めます"),
    ("남은", "남아", "아직", "다음(?:은|으로|에는)", "이어서", "진행하겠", "하겠습니다", "미구현"),
)
"""Anywhere: a part is finished, and more is announced."""

NOTHING_REMAINS = Wording(
    (
        r"no (?:remaining|outstanding|open|further|pending|other|additional) \w+",
        r"nothing (?:remaining|remains|left|outstanding|pending|else)(?: to (?:do|be done))?",
        r"(?:remaining|outstanding|next steps?|follow-?ups?|todos?) ?[:-] ?(?:none|n/a|nothing)",
        r"remaining (?:risks?|uncertaint\w+)",
        r"none (?:remaining|outstanding|left)",
    ),
    ("没有(?:剩余|遗留|其他)", "无(?:剩余|遗留)"),
)
"""What sounds like something left, and says that nothing is."""

OPENS = Wording(
    (
        r"(?:all )?(?:done|complete[d]?|finished|set|sorted|fixed|ready|implemented|updated|added|created|generated|installed|removed|"
        r"translated|simplified|expanded|delivered|scaffolded|defined|refactored|renamed|replaced|moved|merged|committed|pushed|"
        r"wired|hooked|converted|migrated|cleaned|adjusted|improved|resolved|corrected|restored|reverted|documented|tested|"
        r"verified|built|wrote|rewrote|extended|enabled|disabled|configured|switched|changed|applied|ran|reviewed|analy[sz]ed|"
        r"introduced|integrated|polished|hardened|patched|drafted|rebuilt|bumped|deleted|exposed|ensured|made|"
        r"set up|split|tightened|tweaked|unified|upgraded)",
        r"i(?:'ve| have)? (?:just |now |also )?(?:\w+ed|built|wrote|made|set|ran|put|split|found|cut)",
        r"everything(?:'s| is| has been)?",
        r"successfully",
    ),
    (r"c'est (?:fait|bon|corrigé)", r"j'ai", r"terminé\w*", r"fait"),
    (r"erledigt", r"fertig", r"umgesetzt", r"abgeschlossen", r"ich habe", r"aktualisiert", r"behoben"),
    (r"fatto", r"aggiornat\w+", r"completat\w+", r"ho"),
    (r"pronto", r"feito", r"concluíd\w+", r"atualizei", r"corrig\w+", r"adicion\w+"),
    (r"listo", r"hecho", r"he", r"actualic\w+", r"complet\w+"),
    (r"готово", r"сделал\w*", r"обновил\w*", r"завершил\w*", r"добавил\w*", r"исправил\w*"),
    (r"đã", r"mình đã", r"tôi đã", r"xong"),
    ("已", "好了", "完成", "改好", "加好", "搞定", "我已", "修好"),
    ("完了", "済み", "しました", "対応し"),
    ("완료", "했습니다", "만들었", "바꿨", "수정했", "추가했"),
)
"""At the beginning: something was done."""

HEADINGS = Wording(
    (
        r"(?:what(?:'s| is| i)? (?:changed|new|added|did)|changes?(?: made)?|summary|updates?|key (?:updates|changes)|highlights|"
        r"files? (?:changed|updated|touched|modified)|validation|verification|tests?|testing|implementation|result|outcome|"
        r"suggested commit(?: message)?|deliverables?)",
    ),
    (
        r"(?:geändert|änderungen|validierung|prüfung|tests)",
        r"(?:modifications|fichiers modifiés|tests exécutés|vérification)",
    ),
    (r"thay đổi chính", r"cụ thể"),
    ("修改文件", "更新文件", "改动要点", "主要改动", "验证", "说明"),
    ("変更ファイル", "完了内容", "確認"),
    ("변경", "검증"),
)
"""A line that introduces what was done."""
