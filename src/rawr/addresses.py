"""What may be the address of a model's server, wherever it is given."""

from urllib.parse import urlsplit


def address_problem(url: str) -> str:
    """What is wrong with an address; empty if nothing is.

    The message does not quote it: it may be a key that was pasted into the wrong line. Nor may a key be a part of it,
    because addresses end up in files and logs.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        return "expected an address such as http://127.0.0.1:11434"
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return "expected an address without a user name, password or parameters"
    return ""
