# SPDX-License-Identifier: GPL-3.0-or-later
"""Each built-in benchmark runs as it is confined, and leaves as much memory as it found."""

import pytest

from support.benchctl import ANY, Benchctl
from support.paths import BUILD

SUITES = BUILD / "suites" / "suites.so"

pytestmark = pytest.mark.skipif(not SUITES.exists(), reason="the suites are not built")


@pytest.fixture(scope="module")
def listing():
    return Benchctl(BUILD, "--private").json("list", SUITES)["benchmarks"]


@pytest.fixture(scope="module")
def rows(listing):
    """One process each, with allocations counted. A hidden one runs if its name is written out."""
    hidden = [f"{row['area']}/{row['name']}" for row in listing if row["hidden"]]
    return Benchctl(BUILD, "--private", expect=ANY, timeout=None).json("run", "--quick", "--processes=1", "--samples=1", "--memory", SUITES, "--", "*", *hidden)["benchmarks"]


def test_every_built_in_benchmark_is_run(listing, rows):
    assert {(row["area"], row["name"]) for row in rows} == {(row["area"], row["name"]) for row in listing}


def test_none_fails_where_it_is_confined(rows):
    """One that the machine cannot run is skipped, in words."""
    failed = [row for row in rows if row["failed"] and row["failed"]["code"] != "skipped"]
    assert [(row["area"], row["name"], row["failed"]["message"]) for row in failed] == []


def test_none_keeps_memory_or_prints(rows):
    kept = [(row["area"], row["name"], finding["kind"]) for row in rows for finding in row["findings"]
            if finding["kind"] in ("leaks", "prints", "output-cut")]
    assert kept == []
