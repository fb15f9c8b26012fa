"""The document around a page: one file that loads nothing, sends nothing, and runs no script but its own."""

import base64
import hashlib

from rawr.pages.html import Html, document, resource, tag, text
from rawr.pages.parts.marks import definitions
from rawr.version import __version__


def page(title: str, *parts: Html, subtitle: Html | None = None) -> str:
    """A whole file."""
    style, script = resource("page.css"), resource("page.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src {_allowed(style)}",
            f"script-src {_allowed(script)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    head = tag(
        "head",
        None,
        tag("meta", {"charset": "utf-8"}),
        tag("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        tag("meta", {"name": "color-scheme", "content": "light dark"}),
        tag("meta", {"name": "referrer", "content": "no-referrer"}),
        tag("meta", {"name": "generator", "content": f"rawr {__version__}"}),
        # A browser asks the server for an icon otherwise.
        tag("link", {"rel": "icon", "href": "data:,"}),
        tag("title", None, text(title, limit=200)),
        tag("style", None, style),
    )
    top = tag("header", None, tag("h1", None, text(title, limit=200)), *((subtitle,) if subtitle is not None else ()))
    end = tag("footer", None, text(f"Made by rawr {__version__}. This file loads nothing and sends nothing."))
    body = tag("body", None, definitions(), tag("main", None, top, *parts, end), tag("script", None, script))
    return document(tag("html", {"lang": "en"}, head, body))


def _allowed(source: Html) -> str:
    digest = base64.b64encode(hashlib.sha256(source.encode("utf-8")).digest()).decode()
    return f"'sha256-{digest}'"
