# SPDX-License-Identifier: GPL-3.0-or-later
"""From an empty folder to a first number of one's own, as a new user comes to it."""

import json
import re

import pytest

from support.benchctl import BRIEF, USAGE

TOUCHES = "verb-new"


@pytest.mark.parametrize("name, warnings", [("mybench.c", {"CFLAGS": "-Wall -Wextra -Werror"}),
                                            ("my-bench.cc", {"CXXFLAGS": "-Wall -Wextra -Werror"}),
                                            ("mybench.c", {"CC": "clang", "CFLAGS": "-std=c11 -D_GNU_SOURCE -Wall -Werror"})])
def test_a_new_file_runs_at_once_without_a_warning(typed, name, warnings):
    said = typed("new", name).stdout
    assert f"  benchctl run --private {name}\n" in said
    done = typed("run", "--private", *BRIEF, "--format=json", name, **warnings)
    rows = json.loads(done.stdout)["benchmarks"]

    assert [row["name"] for row in rows] == ["parse", *["length"] * 5, *["sort"] * 2]
    assert all(row["failed"] is None for row in rows)
    assert done.stderr.count("\n") == 1


def test_an_existing_file_is_left_as_it_is(typed, tmp_path):
    (tmp_path / "mine.c").write_text("mine")
    (tmp_path / "link.c").symlink_to("elsewhere.c")

    for name in "mine.c", "link.c":
        assert f"{name} exists already" in typed("new", name, expect=USAGE).stderr
    assert (tmp_path / "mine.c").read_text() == "mine" and not (tmp_path / "elsewhere.c").exists()


@pytest.mark.parametrize("words, said", [
    ([], "takes the name of one file"),
    (["a.c", "b.c"], "takes the name of one file"),
    (["mybench"], "is not named as source code"),
    (["mybench.so"], "is not named as source code"),
    ([".c"], "is not named as source code"),
    (["nosuch/x.c"], "Cannot write nosuch/x.c: No such file or directory."),
])
def test_a_name_that_will_not_do_says_why(typed, tmp_path, words, said):
    assert said in typed("new", *words, expect=USAGE).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_any_name_runs(typed, tmp_path):
    typed("new", "my bench.c")
    assert "my_bench" in typed("list", "--private", "my bench.c").stdout


def test_no_line_is_wider_than_a_terminal(typed, tmp_path):
    typed("new", "x.c")
    assert max(map(len, (tmp_path / "x.c").read_text().splitlines())) <= 80
    assert re.search(r"bench_pause\(b\);.*bench_resume\(b\);", (tmp_path / "x.c").read_text(), re.S)
