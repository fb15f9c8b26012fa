"""Text that tries to become something else than text, wherever it is put."""

HOSTILE = (
    "</title></style></script></svg><script>window.owned=1</script>"
    "<img src=x onerror='window.owned=2'>\"><svg onload=window.owned=3>"
    "' onmouseover='window.owned=4 <a href=\"javascript:window.owned=5\">x</a>"
    "<!-- ]]> {{7*7}} ${1} &lt;b&gt; &#60;i&#62; javascript:1 "
    "\x00\x07\x1b[2J\u202egnp.exe\u2066\ud800\udfff\u200b\ufeff\r\n|;99|x;"
    "<meta http-equiv=refresh content='0;url=http://evil.example/'><base href=//evil.example/>"
    "<link rel=stylesheet href=//evil.example/x.css><iframe src=//evil.example></iframe>"
)
LONG = "W" * 1_000_000


def hostile(words: str) -> str:
    return f"{words}{HOSTILE}"


def long(words: str) -> str:
    return f"{words}{LONG}"
