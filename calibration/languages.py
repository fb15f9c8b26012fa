"""A guess at the language of a message, by its script and a few words that only one language has so often."""

import re
from collections import Counter

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|\S*[/\\_]\S*", re.DOTALL)
_WORD = re.compile(r"[a-zà-öø-ÿąćęłńśźżčřšůžğışőű]+")
_SCRIPTS = {
    "ja": re.compile(r"[\u3041-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "th": re.compile(r"[\u0e01-\u0e5b]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "vi": re.compile(r"[\u1ea0-\u1ef9ăđơư]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
}
"""In this order: Japanese has Chinese characters too."""
_OF_SCRIPT = {"vi": 0.04}
_SHARE = 0.15
"""Of the letters of a message, in a script: English names of things are all over messages in any language."""
_CLEARLY = 1.3
"""As often as English words must those of another language be there: agents quote English headings and output."""
_STOP = {
    "en": "the and is are to of in for with was it this that not now have has you all on from be",
    "de": "der die das und ist nicht ich mit für auf wurde jetzt sind ein eine den im habe werden auch noch",
    "fr": "le la les et est des une dans pour avec pas sur du au que ce sont été maintenant vous",
    "es": "el la los las y es en una para con se del que por está ahora ya como lo",
    "pt": "os as é em uma para com não do da que por está agora já como foi",
    "it": "il la gli e è in una per con non del della che di ora sono stato nel anche ho",
    "nl": "de het een en is niet van voor met op zijn wordt nu ook dat deze te zo",
    "pl": "w na nie jest się że dla oraz po już jak od został są lub przez",
    "tr": "ve bir bu için ile da de değil olarak şimdi var yok",
    "id": "dan yang di untuk dengan tidak ini sudah dari ke pada akan",
}
_WORDS = {language: frozenset(words.split()) for language, words in _STOP.items()}


def guess(text: str) -> str:
    """A code of two letters; ``en`` if nothing speaks for another language."""
    prose = _CODE.sub(" ", text)
    letters = sum(character.isalpha() for character in prose)
    for language, script in _SCRIPTS.items():
        if letters and len(script.findall(prose)) / letters > _OF_SCRIPT.get(language, _SHARE):
            return language
    words = Counter(_WORD.findall(prose.lower()))
    total = words.total() or 1
    scores = {one: sum(words[word] for word in stop) / total for one, stop in _WORDS.items()}
    best = max(scores, key=lambda one: scores[one])
    return best if scores[best] > scores["en"] * _CLEARLY else "en"
