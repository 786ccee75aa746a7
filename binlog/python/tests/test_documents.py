"""The notebook runs, and the pages name what there is."""

import ast
import inspect
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


def test_the_stubs_have_the_names_and_parameters_of_the_module():
    stub = pathlib.Path(binlog.__file__).with_suffix(".pyi").read_text()
    classes = {node.name: node for node in ast.parse(stub).body if isinstance(node, ast.ClassDef)}
    assert set(classes) == {name for name in binlog.__all__ if isinstance(getattr(binlog, name), type)}
    for name, node in classes.items():
        of_class = getattr(binlog, name)
        methods = {method.name: method.args for method in node.body if isinstance(method, ast.FunctionDef)}
        fields = {field.target.id for field in node.body if isinstance(field, ast.AnnAssign)}
        public = {member for member in vars(of_class) if not member.startswith("_")}
        assert public <= methods.keys() | fields and methods.keys() <= vars(of_class).keys(), name
        for method, arguments in methods.items():
            called = of_class if method == "__new__" else getattr(of_class, method)
            if callable(called) and (called is of_class or not method.startswith("_")):
                stubbed = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
                there = inspect.signature(called).parameters.values()
                named = [each.name for each in there if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
                assert [each.arg for each in stubbed][1:] == [each for each in named if each != "self"], (name, method)
