"""The table of tests/performance/python: `figures.py TARGET [--log FILE] [--fleets SMALL LARGE] [--rounds N]`."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

WORKS = pathlib.Path(__file__).with_name("works.py")


class Missing(Exception):
    """What a row needs isn't installed."""


class Process:
    """A process that has ended: what it printed, and its memory in MB."""

    def __init__(self, *command):
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
            self.output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
        if process.returncode != 0:
            errors = [line for line in lines if "Error" in line or "Exception" in line]
            # Engines log their end after the error.
            why = (errors or lines or [f"exit code {process.returncode}"])[-1]
            raise Missing(why) if "ModuleNotFoundError" in why else SystemExit(f"{' '.join(map(str, command))}: {why}")
        self.memory = usage.ru_maxrss / 1024
        self.seconds = usage.ru_utime + usage.ru_stime


def work(name, *arguments):
    """Runs a work, and returns what it measured and the memory of its process."""
    process = Process(sys.executable, WORKS, name, *map(str, arguments))
    return json.loads(process.output), process.memory


class Times:
    """Measurements of one work."""

    def __init__(self, seconds):
        self.seconds = sorted(seconds)
        self.median = statistics.median(seconds)

    def __str__(self):
        scale, unit = (1, "s") if self.median >= 1 else (1e3, "ms") if self.median >= 1e-3 else (1e6, "µs")
        digits = 1 if self.median * scale < 100 else 0
        return f"{self.median * scale:.{digits}f} {unit} ({self.seconds[0] * scale:.{digits}f}–" \
               f"{self.seconds[-1] * scale:.{digits}f})"


def in_turn(rounds, *works):
    """The times of several works, each in a process of its own, one after the other in each round.

    A work is its name and arguments. Works of pymavlink run in three rounds at most."""
    times = [[] for _ in works]
    for number in range(rounds):
        for measured, (name, *arguments) in zip(times, works):
            if number < 3 or "pymavlink" not in name:
                measured.append(work(name, *arguments)[0])
    return times


def row(what, ours, beside, compared, goal):
    print(f"| {what} | {ours} | {beside} | {compared} | {goal} |", flush=True)


def left_out(what, why):
    row(what, "left out", str(why), "", "")


def compare(what, rounds, ours, peers):
    """A row for each peer: its name, its work, and how much faster ours has to be."""
    try:
        times = [Times(seconds) for seconds in in_turn(rounds, ours, *(work for _, work, _ in peers))]
    except Missing as missing:
        return left_out(what, missing)
    for (peer, _, goal), theirs in zip(peers, times[1:]):
        row(what, times[0], f"{peer} {theirs}", f"{theirs.median / times[0].median:.1f} ×", f"≥ {goal} ×")


def of_one_log(log, rounds):
    """Reading, columns and records of one log."""
    mavparser = "mavparser to a list of dicts", ("dicts_by_mavparser", log)
    pymavlink = "pymavlink's `recv_msg`", ("records_by_pymavlink", log)
    ours = "columns_mapped", log
    compare("all columns, shown, mapped", rounds, ours, [(*mavparser, 30), (*pymavlink, 100)])
    ours = "columns_read", log
    compare("all columns, shown, read", rounds, ours, [(*mavparser, 20), (*pymavlink, 80)])

    by_type, at_once = map(Times, in_turn(rounds, ("columns_by_type", log), ("columns_mapped", log)))
    ratio = f"{by_type.median / at_once.median:.2f} ×"
    row("each type by itself, mapped", by_type, f"all at once {at_once}", ratio, "≤ 1.2 ×")

    indexed, fresh = in_turn(rounds, ("one_column", log), ("one_column_fresh", log))
    again, fresh = Times([times["again"] for times in indexed]), Times(fresh)
    schema = Times([times["schema"] for times in indexed])
    what = "one column of an indexed log, mapped"
    row(what, again, f"of a log that is opened for it {fresh}", f"{again.median / fresh.median:.2f} ×", "≤ 0.2 ×")
    ratio = f"{schema.median / again.median:.4f} ×"
    row("schema of a type of an indexed log", schema, f"one column of it {again}", ratio, "≤ 0.05 ×")

    peers = [
        ("pymavlink's `recv_match`", ("attribute_by_pymavlink", log), 15),
        ("mavparser's list", ("attribute_of_list_by_mavparser", log), 4),
        ("mavparser's iterator", ("attribute_by_mavparser", log), 4),
    ]
    compare("records of ATT as objects, one attribute of each", rounds, ("attribute", log), peers)
    peers = [
        ("pymavlink", ("every_record_by_pymavlink", log), 15),
        ("mavparser's iterator", ("every_record_by_mavparser", log), 4),
    ]
    compare("all records as objects, one attribute of each", rounds, ("every_record", log), peers)


def of_the_wheel(wheel, rounds):
    """Importing, and the wheel's size."""
    # Once before, so that both are in the page cache.
    in_turn(1, ("imports", "binlog"), ("imports", "numpy"))
    ours, theirs = map(Times, in_turn(2 * rounds + 1, ("imports", "binlog"), ("imports", "numpy")))
    row("import", ours, f"numpy {theirs}", f"{ours.median / theirs.median:.3f} ×", "≤ 0.05 ×")
    row("the wheel", f"{wheel.stat().st_size / 1e6:.2f} MB", "", "", "≤ 1 MB")


def count(folder):
    return sum(1 for file in pathlib.Path(folder).rglob("*") if file.suffix.lower() == ".bin")


def of_fleets(small, large, binlog, scratch):
    """Memory and time from a small fleet to a large one."""
    few, many = count(small), count(large)

    def grown(what, few_measured, many_measured):
        (few_seconds, few_memory), (many_seconds, many_memory) = few_measured, many_measured
        ratio = many_memory / few_memory
        ours, beside = f"{many_memory:.0f} MB", f"{few:,} logs {few_memory:.0f} MB"
        row(f"{what}: memory, {many:,} logs", ours, beside, f"{ratio:.2f} ×", "0.8–1.2 ×")
        each = [few_seconds / few * 1e3, many_seconds / many * 1e3]
        ours, beside = f"{each[1]:.2f} ms", f"{few:,} logs {each[0]:.2f} ms"
        row(f"{what}: time a log, {many:,} logs", ours, beside, f"{each[1] / each[0]:.2f} ×", "≈ 1 ×")

    # Once before, so that the logs are in the page cache if it holds them.
    work("fleet", large)
    grown("`binlog.fleet`, one column", work("fleet", small), work("fleet", large))

    def export(folder):
        process = Process(binlog, "export", folder, "--format", "parquet", "-o", f"{scratch}/data-{count(folder)}")
        return process.seconds, process.memory

    grown("`binlog export`, Parquet, all types (CPU time)", export(small), export(large))


def of_engines(folder, binlog, scratch, rounds):
    """A sum over a folder by other engines, beside a loop over its logs."""
    data = f"{scratch}/data-engines"
    Process(binlog, "export", folder, "--format", "parquet", "--types", "ATT", "-o", data)
    logs = count(folder)
    for engine, goal, argument in ("duckdb", 0.2, data), ("sail", 1, folder):
        what = {
            "duckdb": f"DuckDB over the Parquet data set of {logs} logs of 20 s, one column, warm",
            "sail": f"Sail over {logs} raw logs of 20 s, one column, warm",
        }[engine]
        try:
            theirs, ours = map(Times, in_turn(rounds, (engine, argument), ("loop", folder)))
        except Missing as missing:
            left_out(what, missing)
            continue
        row(what, theirs, f"a loop in Python {ours}", f"{theirs.median / ours.median:.2f} ×", f"≤ {goal} ×")


def main():
    parser = argparse.ArgumentParser(prog="tests/performance/python", usage=__doc__.split("`")[1])
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("--fleets", nargs=2, metavar=("SMALL", "LARGE"))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    simulator, binlog = options.target / "release/simulator", options.target / "release/binlog"
    (wheel,) = (options.target / "wheel").glob("*.whl")

    with tempfile.TemporaryDirectory(dir=options.target, prefix="python-performance-") as scratch:

        def flights(folder, logs, seconds):
            for first in range(0, logs, 100):
                vehicles = min(100, logs - first)
                flown = "--seconds", f"{seconds}", "--vehicles", f"{vehicles}", "--seed", f"{first + 1}"
                Process(simulator, *flown, "--logs", f"{scratch}/{folder}/{first}")
            return f"{scratch}/{folder}"

        log = options.log or pathlib.Path(scratch) / "flight.bin"
        if not options.log:
            Process(simulator, "--seconds", "790", "-o", log)
        load = os.getloadavg()[0]
        size, processors = log.stat().st_size / 1e6, os.cpu_count()
        print(f"a log of {size:.0f} MB, {processors} processors, {options.rounds} rounds in turn: median (range)\n")
        row("what", "binlog", "beside", "ratio", "goal")
        row("---", "---", "---", "---", "---")
        of_one_log(log, options.rounds)
        of_the_wheel(wheel, options.rounds)
        small, large = options.fleets or (flights("small", 1_000, 2), flights("large", 10_000, 2))
        of_fleets(small, large, binlog, scratch)
        of_engines(flights("engines", 200, 20), binlog, scratch, options.rounds)
        print(f"\nload of the machine: {load:.1f} before, {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
