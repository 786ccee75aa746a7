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


@pytest.mark.parametrize("page", ["from_pymavlink.md", "from_pyulog.md"])
def test_what_a_page_names_is_there(page):
    right = [row.split("|")[-2] for row in (HERE / page).read_text().splitlines() if row.startswith("| `")]
    names = re.findall(r"\blog\.(\w+)", " ".join(right))
    assert len(right) > 8 and len(names) > 4 and all(hasattr(binlog.Log, name) for name in names)
    assert all(hasattr(binlog.Record, name) for name in ("get_type", "to_dict", "get_fieldnames", "time"))
