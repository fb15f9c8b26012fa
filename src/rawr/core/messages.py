"""What rawr says to an agent besides the seven editable prompts: corrections, and a soft landing."""

from rawr.core.packet_check import Finding


def correction(sequence: str, findings: tuple[Finding, ...]) -> str:
    """A packet goes back with what is wrong with it (D2), one line a finding, whatever its text holds."""
    points = "\n".join(f"- {' '.join(finding.text.split())}" for finding in findings)
    return (
        f"[rawr {sequence}] The packet does not agree with what was recorded, or lacks something:\n\n{points}\n\n"
        "Write the whole packet once more with these points mended, under the same seven headings. Where you are sure "
        "that the record is wrong, say so in the packet. Run nothing and change nothing."
    )


def landing(sequence: str, packet_request: str) -> str:
    """Steered into a running turn that would otherwise run into Codex's own compaction (A19)."""
    return (
        f"[rawr {sequence}] The context is nearly full. Bring what you are doing to a clean stop now: no new commands "
        f"beyond what leaves the work in a consistent state. Then end this turn with a continuation packet.\n\n"
        f"{packet_request}"
    )
