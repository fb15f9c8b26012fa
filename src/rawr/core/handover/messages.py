"""What rawr tells an agent besides the seven editable prompts: corrections, and a soft landing."""

from rawr.core.handover.check import Finding
from rawr.core.speech import Own, Template, listed, render, say, word


def correction(sequence: str, findings: tuple[Finding, ...]) -> Own:
    """Send a packet back with its problems (D2), one line per finding."""
    return say(
        "[rawr {sequence}] The packet does not agree with what was recorded, or lacks something:\n\n{points}\n\n"
        "Write the whole packet once more with these points mended, under the same seven headings. Where you are sure "
        "that the record is wrong, say so in the packet. Run nothing and change nothing.",
        sequence=word(sequence),
        points=listed(finding.text for finding in findings),
    )


def landing(sequence: str, packet_request: Template) -> Own:
    """Steered into a running turn that would otherwise hit Codex's own compaction (A19)."""
    return say(
        "[rawr {sequence}] The context is nearly full. Bring what you are doing to a clean stop now: no new commands "
        "beyond what leaves the work in a consistent state. Then end this turn with a continuation packet.\n\n"
        "{packet_request}",
        sequence=word(sequence),
        packet_request=render(packet_request, {}),
    )
