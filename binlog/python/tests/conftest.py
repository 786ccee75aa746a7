"""What was skipped is listed as `tests/run` lists it; logs that tests make."""

import contextlib
import signal

import pytest
from made import FMT, definition, record


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        terminalreporter.write_line(f"left out: {report.nodeid.split('[')[0]}: {reason}")


class Made:
    """A log in the making: DEMO records with `TimeUS` and `X`."""

    def __init__(self):
        self.bytes = FMT + definition(1, 15, "DEMO", "Qi", "TimeUS,X")

    def record(self, time_us, x):
        self.bytes += record(1, time_us.to_bytes(8, "little") + x.to_bytes(4, "little", signed=True))

    def records(self, numbers):
        for number in numbers:
            self.record(1_000 * number, number)
        return self


@pytest.fixture
def made():
    return Made


@pytest.fixture
def interrupt():
    """A signal after some seconds, whose handler raises as Ctrl-C's does."""

    class Interrupted(Exception):
        """As KeyboardInterrupt, which would end all tests."""

    def raise_it(*_):
        raise Interrupted

    @contextlib.contextmanager
    def interrupt(seconds, expected=Interrupted):
        before = signal.signal(signal.SIGALRM, raise_it)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            with pytest.raises(expected) as interrupted:
                yield interrupted
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    return interrupt
