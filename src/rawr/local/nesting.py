"""How deep JSON from a socket may nest.

A decoder goes as deep as its own limit, and some of what reads the result stops earlier, in the middle of its work. No
message of ours comes near the depth here, so a deeper one is not understood, whatever it says.
"""

import re

DEEPEST = 64
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def too_deep(body: bytes) -> bool:
    depth = 0
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return False
    for token in _TOKEN.finditer(body):
        match token[0]:
            case b"[" | b"{":
                depth += 1
                if depth > DEEPEST:
                    return True
            case b"]" | b"}":
                depth -= 1
    return False
