"""Who decided what, and on what grounds: decisions with their reasons, requests, packets against the facts."""

from collections.abc import Iterator, Sequence

from rawr.core.vocabulary.records import Evidence
from rawr.pages.html import NOTHING, Html, joined, tag, text
from rawr.pages.parts.bars import Bar, bars
from rawr.pages.parts.listing import badge, code, facts, folded, left_out, listed, section, table
from rawr.views.codes import AREAS, meaning
from rawr.views.numbers import clock_time, short
from rawr.views.report import RunReport
from rawr.views.timeline import DecisionPoint, PacketPoint, RequestPoint, Timeline

ROWS = 200
MOST_REASONS = 12
_BY = " by "
_WHO = {
    "person": "you",
    "rule": "a rule",
    "model": "a model",
    "policy": "your settings",
    "deadline": "lack of an answer",
    "crowd": "lack of room",
}
_CAME_TO = {
    "returned": ("sent back to the agent", "bad"),
    "taken": ("accepted", "good"),
    "written": ("written by rawr", "plain"),
}


def moment(at: int, timeline: Timeline) -> Html:
    """The time of day, with its date if there are several."""
    one_day = clock_time(timeline.began, "%m-%d") == clock_time(timeline.ended, "%m-%d")
    return tag("time", None, text(clock_time(at, "%H:%M:%S" if one_day else "%m-%d %H:%M")))


# -- decisions --------------------------------------------------------------------------------------------------------


def decisions(timeline: Timeline) -> Html:
    if not timeline.decisions:
        return NOTHING
    groups: dict[str, list[DecisionPoint]] = {}
    for one in timeline.decisions:
        groups.setdefault(one.area, []).append(one)
    parts = [_group(name, groups[name], timeline) for name in AREAS if name in groups]
    total = timeline.counts.get("decisions", len(timeline.decisions))
    often = list(timeline.reasons.items())[:MOST_REASONS]
    chart = bars([Bar(meaning(reason), count, short(count)) for reason, count in often])
    missing = left_out(timeline.left_out.get("decisions", 0), "decisions")
    note = f"{short(total)} in all. Open one to see what it rests on, and what spoke against it."
    return section("Decisions", folded(text("The most frequent reasons"), chart), *parts, missing, note=note)


def _group(name: str, made: Sequence[DecisionPoint], timeline: Timeline) -> Html:
    return folded(text(f"{name}: {short(len(made))}"), *(_decision(one, timeline) for one in made))


def _decision(one: DecisionPoint, timeline: Timeline) -> Html:
    title = joined((moment(one.at, timeline), text(one.meaning)))
    entries = [("Reason", code(one.reason)), ("Turn", text(one.turn))]
    entries += [(name.replace("_", " "), _evidence(value)) for name, value in one.evidence.items()]
    if one.against:
        entries.append(("Against it", listed(map(text, one.against))))
    return folded(title, facts(entries))


def _evidence(value: Evidence) -> Html:
    if isinstance(value, list):
        return listed(text(one, limit=400) for one in value)
    return text({True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value), limit=600)


# -- packets ----------------------------------------------------------------------------------------------------------


def packets(timeline: Timeline) -> Html:
    if not timeline.packets:
        return NOTHING
    note = "What the agent wrote to survive a compaction, checked against what rawr saw happen."
    parts = [_packet(one, timeline) for one in timeline.packets[-ROWS:]]
    return section("Packet against facts", *parts, left_out(timeline.left_out.get("packets", 0), "checks"), note=note)


def _packet(one: PacketPoint, timeline: Timeline) -> Html:
    words, kind = _CAME_TO[one.came_to]
    title = joined((moment(one.at, timeline), badge(words, kind), text(f" {_summary(one)}")))
    if not one.found:
        return tag("p", None, title)
    added = tag("p", {"class": "note"}, text("rawr adds these from its record.")) if one.came_to == "taken" else NOTHING
    return folded(title, listed(map(text, one.found)), added, opened=True)


def _summary(one: PacketPoint) -> str:
    if one.came_to == "written":
        return "from its record: the agent's was missing, late or not wanted"
    if not one.found:
        return "complete, and it agrees with the record"
    return f"{len(one.found)} missing or wrong"


# -- requests ---------------------------------------------------------------------------------------------------------


def requests(timeline: Timeline, run: RunReport | None) -> Html:
    if not timeline.requests:
        return NOTHING
    note = ", ".join(_settled(name, count) for name, count in timeline.counts.items() if _BY in name)
    shown = timeline.requests[-ROWS:]
    missing = timeline.left_out.get("requests", 0) + len(timeline.requests) - len(shown)
    rows = [tuple(_request(one, timeline)) for one in shown]
    listing = table(("When", "Asked", "Answer", "By", "Why"), rows)
    allowed = folded(text("Allowed by your order"), listed(map(code, run.allow))) if run and run.allow else NOTHING
    return section("Approvals and questions", listing, left_out(missing, "requests"), allowed, note=note)


def _settled(name: str, count: int) -> str:
    what, _, who = name.partition(_BY)
    return f"{short(count)} {what}{_BY}{_WHO.get(who, who)}"


def _request(one: RequestPoint, timeline: Timeline) -> Iterator[Html]:
    yield moment(one.at, timeline)
    yield text(one.asked)
    kind = {"approved": "good", "declined": "bad"}.get(one.verdict)
    yield badge(one.verdict, kind) if kind is not None else text(one.verdict)
    who = _WHO.get(one.by, one.by)
    yield text(f"{who} ({one.came})" if one.came else who)
    yield text("; ".join(one.grounds), limit=400)
