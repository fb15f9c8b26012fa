"""What an allow rule opens, for a person."""

from rawr.approvals.verbs.opening import Opened

INDENT = "  "


def in_words(one: Opened) -> list[str]:
    """The lines about one verb of a rule."""
    if one.files:
        return [
            f"{one.rule}: accepts that git writes files of the workspace outside of the sandbox; it opens no command"
        ]
    if one.hooks:
        return [f"{one.rule}: accepts the hooks and filters that git runs in your repository; it opens no command"]
    if not one.verb:
        return [f"{one.rule}: exactly these words"]
    lines = [one.verb if one.verb == one.rule else f"{one.rule}: {one.verb}"]
    if one.project:
        lines.append(f"{INDENT}runs the workspace's own files by nature")
    if one.beside:
        lines.append(f"{INDENT}needs the rule `{one.beside}` beside it where it writes files")
    if one.options:
        lines.append(f"{INDENT}options: {' '.join(one.options)}")
    by_kind: dict[str, list[str]] = {}
    for option, kind in one.values.items():
        by_kind.setdefault(kind, []).append(option)
    lines += [f"{INDENT}{' '.join(options)}: {kind}" for kind, options in by_kind.items()]
    if one.operands:
        lines.append(f"{INDENT}operands: {'; '.join(one.operands)}")
    if one.needs_a_rule:
        lines.append(f"{INDENT}only for a rule that has them: {' '.join(one.needs_a_rule)}")
    return lines
