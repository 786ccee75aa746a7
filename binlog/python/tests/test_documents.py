"""The notebook runs, and the pages name what there is."""

import json
import pathlib
import re

import binlog
import pytest

HERE = pathlib.Path(__file__).parent.parent


def test_the_notebook_runs():
    pytest.importorskip("duckdb")
    if not pathlib.Path("flight.bin").exists():
        pytest.skip("flight.bin of the simulator isn't here")
    variables = {}
    for cell in json.loads((HERE / "flight.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), variables)
    assert variables["error"].size > 0


def test_the_lines_of_the_root_readme_run(tmp_path, monkeypatch):
    pytest.importorskip("polars")
    flight = pathlib.Path("flight.bin")
    if not flight.exists():
        pytest.skip("flight.bin of the simulator isn't here")
    (tmp_path / "logs").mkdir()
    for copy in "flight.bin", "logs/1.bin", "logs/2.bin":
        (tmp_path / copy).write_bytes(flight.read_bytes())
    section = (HERE / "../../README.md").read_text().split("## Python")[1].split("\n## ")[0]
    lines = re.search("```python\n(.*?)```", section, re.S)[1]
    monkeypatch.chdir(tmp_path)
    variables = {}
    exec(lines, variables)
    assert lines.count("\n") == 5 and len(variables["roll"]) == len(variables["att"])
    assert len(variables["fleet"]) == 2 * len(variables["att"])


@pytest.mark.parametrize("page", ["from_pymavlink.md", "from_pyulog.md"])
def test_what_a_page_names_is_there(page):
    right = [row.split("|")[-2] for row in (HERE / page).read_text().splitlines() if row.startswith("| `")]
    names = re.findall(r"\blog\.(\w+)", " ".join(right))
    assert len(right) > 8 and len(names) > 4 and all(hasattr(binlog.Log, name) for name in names)
    assert all(hasattr(binlog.Record, name) for name in ("get_type", "to_dict", "get_fieldnames", "time"))
