# SPDX-License-Identifier: GPL-3.0-or-later
"""What a reader is told of the built-in benchmarks: each says what limits it, and carries its source."""

import subprocess

import pytest

from support.benchctl import Benchctl
from support.paths import BUILD, SOURCE
from test_machine_code import ROWS, SUITES

ABOUT_MAX = 110  # characters: one line of a list

pytestmark = pytest.mark.skipif(not SUITES.exists(), reason="the suites are not built")


@pytest.fixture(scope="module")
def listing():
    return Benchctl(BUILD, "--private").json("list", SUITES)["benchmarks"]


def test_the_daemon_lists_what_the_tables_hold(listing):
    """But for areas that are left out, since the library that they measure is missing."""
    listed = sorted((row["area"], row["name"]) for row in listing)
    assert listed == sorted(row for row in ROWS if row[0] in {area for area, _ in listed})


def test_each_benchmark_says_in_one_line_what_limits_it(listing):
    assert [row["name"] for row in listing if not row["about"] or len(row["about"]) > ABOUT_MAX or "\n" in row["about"]] == []


def test_the_module_carries_the_source_of_each_area(listing, tmp_path):
    embedded = tmp_path / "source"
    subprocess.run(["objcopy", f"--dump-section=benchd_source={embedded}", SUITES, tmp_path / "rest"], check=True)
    texts = embedded.read_text().split("\0")
    sources = [SOURCE / "suites" / f"{area}.c" for area in {row["area"] for row in listing}]
    assert [path.name for path in sources if path.read_text() not in texts] == []
