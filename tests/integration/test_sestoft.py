# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/sestoft/run: one command that gives all three exercises, their data and figures."""

import re
import shutil
import subprocess

import pytest

from support.paths import SOURCE

TOUCHES = "examples/sestoft/*"

SORTS = ["selection_sort", "quicksort", "heapsort"]


@pytest.fixture(scope="module")
def ran(build, tmp_path_factory):
    directory = tmp_path_factory.mktemp("sestoft")
    done = subprocess.run([SOURCE / "examples/sestoft/run", "--quick", "--build", build, "--output", directory],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, directory


def curves(path):
    """The sizes of each curve of a figure's data."""
    blocks = [block.splitlines() for block in path.read_text().split("\n\n\n") if block.strip()]
    return {lines[0].strip("# ").partition(":")[0]: [int(line.split()[0]) for line in lines[1:]] for lines in blocks}


def test_every_mark_is_there(ran):
    assert [f"Mark{i}" for i in range(8)] == re.findall(r"^== (Mark\d)", ran[0], re.M)
    counts = re.findall(r"^multiply .* (\d+)$", ran[0].partition("== Mark6")[2].partition("==")[0], re.M)
    assert [int(count) for count in counts] == [2 << i for i in range(len(counts))]
    of_each = dict(re.findall(r"^== (Mark[23]) .*\n((?: +[0-9.]+ ns\n)+)", ran[0], re.M))
    assert {mark: len(lines.splitlines()) for mark, lines in of_each.items()} == {"Mark2": 1, "Mark3": 10}


def test_the_figures_have_a_point_for_every_size(ran):
    sizes = [100 << i for i in range(17)]
    assert curves(ran[1] / "search.dat") == {"search_one_item": sizes, "search_shuffled": sizes}
    sorts = curves(ran[1] / "sorts.dat")
    assert list(sorts) == SORTS
    assert set(sizes[:15]) <= set(sorts["quicksort"]) == set(sorts["heapsort"])
    assert set(sizes[:8]) <= set(sorts["selection_sort"])


def test_figures_are_drawn_or_it_says_what_is_missing(ran):
    out, directory = ran
    if shutil.which("gnuplot"):
        assert "<svg" in (directory / "sorts.svg").read_text()
        assert (directory / "search.png").read_bytes().startswith(b"\x89PNG")
    else:
        assert "gnuplot-nox" in out


def test_what_was_published_stands_beside_what_was_measured(ran):
    rows = [line.split("|")[1:-1] for line in (ran[1] / "comparison.md").read_text().splitlines()[2:]]
    names = {row[0].strip() for row in rows}
    assert {"multiply", "atan", "random_index", *SORTS, *(f"multiply, Mark{i}" for i in range(2, 7))} <= names
    assert all(float(row[3].replace(",", "")) > 0 for row in rows)
