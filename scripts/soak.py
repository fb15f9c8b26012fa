"""Look for trouble for as long as you like: the state machines of the core, on schedules that are drawn anew each time.

``python scripts/soak.py MINUTES``. It ends with the first schedule that breaks an invariant, made as short as possible,
written as calls that a test can repeat.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.core.deliberating import Deliberating
from tests.core.supervised import OnTheGoldenPath, Supervised

ROUND = 400
"""Schedules of each machine between two looks at the clock."""
FAR = settings(
    max_examples=ROUND,
    stateful_step_count=50,
    deadline=None,
    database=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def main(minutes: float) -> None:
    machines = (Supervised, OnTheGoldenPath, Deliberating)
    until = time.monotonic() + 60 * minutes
    schedules = 0
    while time.monotonic() < until:
        for machine in machines:
            run_state_machine_as_test(machine, settings=FAR)
            schedules += ROUND
        print(f"{schedules} schedules, nothing found", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10)
