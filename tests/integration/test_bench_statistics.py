# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/bench/statistics, shortened: its tables have their rows, and shares in them. What they are is for the long run to say."""

import os
import re
import subprocess

import pytest

from support.paths import BUILD, SOURCE

TOUCHES = "tests/bench/statistics tests/bench/simulation/* common/stats/*"


def run(*options, code=0):
    done = subprocess.run([SOURCE / "tests/bench/statistics", *options], capture_output=True, text=True,
                          env={**os.environ, "BENCHD_BUILD": str(BUILD)})
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def rows(text):
    """The numbers of each row of the tables, by the row's name."""
    found = {}
    for line in text.splitlines():
        cells = re.split(r" {2,}", line.strip())
        if len(cells) > 3 and all(re.fullmatch(r"\d+\.\d\d", cell) for cell in cells[1:]):
            found[cells[0]] = [float(cell) for cell in cells[1:]]
    return found


def test_each_made_up_benchmark_has_a_row_of_shares():
    found = rows(run("--draws=40", "--seed=1"))
    runs = [name for name, shares in found.items() if len(shares) >= 7]
    assert {name.split(":")[0] for name in runs} >= {"normal, 2 %", "skewed", "drifting", "between processes"}
    assert [len(found[name]) for name in runs if "slow" in name] == [9, 9]
    tables = [name for name in found if re.match(r"\d+ rows, margin ", name)]
    assert len(tables) == 4 and len(found) - len(runs) - len(tables) == 9
    assert all(0 <= share <= 100 for shares in found.values() for share in shares)


def test_each_promise_of_a_comparison_has_a_row():
    text = run("--draws=40", "--seed=3")
    promises = re.findall(r"^comparisons of (\d+) +processes +(\d\.\d{3})((?: +\d+\.\d\d){6})$", text, re.M)
    needs = re.findall(r"^truth (\S+), spread (\d) margins +(\d+) +(\d+)$", text, re.M)
    found = rows(text)

    assert [row[0] for row in promises] == ["5", "10", "20", "40"]
    assert [row[1] for row in promises] == sorted((row[1] for row in promises), reverse=True)
    assert len(needs) == 6 and all(int(by_90) > 2 for _, _, by_90, _ in needs)
    assert found["50 rows, margin 0.5 %"][0] > found["50 rows, margin 0.5 %"][2] + 30


def test_searches_for_a_commit_name_it_and_none_where_there_is_none():
    text = run("--draws=1000", "--seed=4", "--table=bisect")
    found = {name.strip(): [float(cell) for cell in cells.split()] for name, cells in re.findall(r"^(\S.{31})((?: +\d+(?:\.\d)?){10})$", text, re.M)}
    assert len(found) == 10
    right, wrong, none, _, _, _, builds, broken, processes, most = found["5 %, 0.8 %, 0.2 %"]
    assert right > 80 and builds >= 9 and broken == 0 and processes <= most
    assert found["1 %, 0.4 %, 0.2 %, broken"][7] > 0
    assert found["64 commits: 0 %, 0.4 %, 0.2 %"][0] == 0


def test_two_modes_and_a_drift_are_named_more_often_than_noise():
    found = rows(run("--draws=40", "--seed=2"))
    assert found["50 or 72, each 2 %"][1] > found["lognormal, 1 %"][1] + 50
    assert found["drifting by 2 %, noise 1 %"][2] > found["lognormal, 1 %"][2] + 50


def test_a_seed_is_printed_and_gives_the_same_tables_again():
    small = ["--draws=5", "--processes=3", "--samples=10"]
    once = run(*small)
    seed = re.match(r"# seed (\d+)\n", once)[1]
    assert run(*small, f"--seed={seed}") == once
    assert run(*small, f"--seed={int(seed) + 1}") != once


@pytest.mark.parametrize("option", ["--draws=0", "--draws=x", "--draws=-1", "--processes=2", "--samples=9", "--nothing", "word"])
def test_what_cannot_be_simulated_is_refused_with_the_usage(option):
    assert "usage: " in run(option, code=2)
