# SPDX-License-Identifier: GPL-3.0-or-later
"""The timed loop of each built-in benchmark still holds the instructions that it is there to measure.

The tables of loops/, one an area, have a line for each instruction that is looked for: the benchmark, the least number of times
(0: never), and a regular expression on mnemonic and operands as objdump writes them. A compiler that drops, merges or hoists the
measured code fails here.
"""

import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bench-h"))

import machine_code  # noqa: E402
from support.paths import BUILD, SOURCE  # noqa: E402

SUITES = BUILD / "suites" / "suites.so"
VALIDATION = SOURCE / "suites" / "VALIDATION.md"

pytestmark = pytest.mark.skipif(not SUITES.exists(), reason="the suites are not built")


def table_read(path):
    """{benchmark: [(least count, regular expression)]}"""
    rows = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, least, pattern = line.split(None, 2)
            rows.setdefault(name, []).append((int(least), re.compile(pattern)))
    return rows


TABLES = {path.stem: table_read(path) for path in sorted((HERE / "loops").glob("*.txt"))}
ROWS = [(area, name) for area, rows in TABLES.items() for name in rows]


def area_of(source):
    """calls_virtual.cc belongs to calls."""
    stem = source.split(".")[0]
    return next((area for area in TABLES if stem.startswith(f"{area}_")), stem)


def bodies():
    """{(area, benchmark): address of its body}: static functions follow the name of their source in the table of symbols."""
    text = subprocess.run(["readelf", "--symbols", "--wide", SUITES], check=True, capture_output=True, text=True).stdout
    found, area = {}, None
    for line in text.splitlines():
        cells = line.split()
        if len(cells) == 8 and cells[3] == "FILE":
            area = area_of(cells[7])
        elif len(cells) == 8 and cells[3] == "FUNC":
            match = re.match(machine_code.body_symbol(r"\w+?"), cells[7])
            if match:
                found.setdefault((area, match[1]), []).append(int(cells[1], 16))
    return found


@pytest.fixture(scope="module")
def loops():
    functions = {address: body for address, _, body in machine_code.disassembly(SUITES)}
    return {key: machine_code.timed_loop(max((functions[address] for address in addresses), key=len))
            for key, addresses in bodies().items()}


def built(loops, area):
    """An area is left out where the library that it measures is missing."""
    return area in {one for one, _ in loops}


def test_every_built_in_benchmark_has_a_line_and_every_line_a_benchmark(loops):
    assert sorted(row for row in ROWS if built(loops, row[0])) == sorted(loops)


@pytest.mark.parametrize("area, name", ROWS)
def test_the_loop_has_the_measured_instructions(loops, area, name):
    if not built(loops, area):
        pytest.skip(f"{area} is not in this build")
    code = [f"{i.mnemonic} {i.operands}" for i in loops[area, name]]
    for least, pattern in TABLES[area][name]:
        count = sum(bool(pattern.search(line)) for line in code)
        right = count == 0 if least == 0 else count >= least
        assert right, f"{pattern.pattern}: {count} instead of {least} in\n" + "\n".join(code)


@pytest.mark.parametrize("area, name", ROWS)
def test_each_benchmark_stands_in_the_table_of_validation(area, name):
    section = re.search(rf"^## {area}\n(.*?)(?=^## |\Z)", VALIDATION.read_text(), re.M | re.S)
    assert section and re.search(rf"^\|[^|]*`{name}`", section[1], re.M), f"{name} is missing from {area} in suites/VALIDATION.md"
