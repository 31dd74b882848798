# SPDX-License-Identifier: GPL-3.0-or-later
"""edit: the editor at the benchmark's line, then the compiler, then an offer. A script stands in for the editor."""

import os
import re
import shutil

import pytest

from support.benchctl import BENCHMARK, DONE, MACHINE, USAGE, Benchctl

TOUCHES = "verb-edit command"

MINE = """#include <benchd/bench.h>

BENCH(first) { bench_loop(b) bench_clobber(); }

  BENCH( second , .about = "the second") {
        bench_loop(b) bench_clobber();
}
"""


@pytest.fixture
def here(build, tmp_path):
    """A directory with a source, and an editor that notes its words and does to the file what the n-th line of plan says to sed."""
    (tmp_path / "mine.c").write_text(MINE)
    (tmp_path / "plan").write_text("")
    editor = tmp_path / "an editor"
    editor.write_text(f"""#!/bin/sh
echo "$*" >>{tmp_path}/words
for file; do :; done
file=${{file%%:[0-9]*}}
change=$(sed -n "$(wc -l <{tmp_path}/words)p" {tmp_path}/plan)
[ -z "$change" ] || sed -i "$change" "$file"
""")
    editor.chmod(0o755)
    return tmp_path


def environment(here):
    return {"BENCHD_SOCKET": str(here / "no-daemon.sock"), "VISUAL": f"'{here}/an editor' --wait", "EDITOR": "false"}


@pytest.fixture
def typed(build, here):
    return Benchctl(build, cwd=here, **environment(here))


def edited(here):
    return (here / "words").read_text().splitlines()


@pytest.mark.parametrize("words, line, name", [
    (["mine.c"], 3, ""),
    (["mine.c", "first"], 3, " -- first"),
    (["mine.c", "second"], 5, " -- second"),
    (["mine.c#second"], 5, " -- second"),
    (["./mine.c", "mine/second"], 5, " -- second"),
    (["mine.c", "second/n=8"], 5, " -- second"),
    (["mine.c", "mine/second/n=8"], 5, " -- second"),
])
def test_the_editor_opens_a_source_at_the_benchmark(typed, here, words, line, name):
    done = typed("edit", *words)

    assert edited(here) == [f"--wait +{line} {words[0].split('#')[0]}"]
    assert re.match(r"cc -O2 ", done.stderr)
    assert done.stderr.endswith(f"To run it: benchctl run --private {words[0].split('#')[0]}{name}\n")
    assert done.stdout == ""


def test_a_built_in_benchmark_is_unpacked_edited_and_built(typed, here):
    (here / "plan").write_text("s/limited by/mine, limited by/\n")
    done = typed("edit", "strings/strlen")
    source = here / "suites.src/strings.c"

    line = next(i for i, text in enumerate(source.read_text().splitlines(), 1) if text.startswith("BENCH(strlen,"))
    assert edited(here) == [f"--wait +{line} suites.src/strings.c"]
    assert done.stderr.endswith("To run it: benchctl run --private suites.src/strings.so -- strlen\n")
    assert "mine, limited by" in typed("list", "--private", "suites.src/strings.so").stdout

    (here / "suites.src/strings.c").write_text("\n\n" + source.read_text())
    typed("edit", "strlen")
    assert edited(here)[1] == f"--wait +{line + 2} suites.src/strings.c", "the user's file is what counts"
    typed("edit", "strlen/bytes=16", "elsewhere")
    assert edited(here)[2] == f"--wait +{line} elsewhere/strings.c"


@pytest.mark.parametrize("name, word", [("+x.c", "./+x.c"), ("a#1.c", "a#1.c"), ("my own.c", "my own.c")])
def test_a_file_s_name_is_a_file_to_the_editor(typed, here, name, word):
    (here / name).write_text(MINE)
    typed("edit", name, "second")
    assert edited(here) == [f"--wait +5 {word}"]


def test_an_editor_has_its_own_way_to_be_told_a_line(typed, here):
    (here / "an editor").rename(here / "code")
    typed("edit", "mine.c", "second", VISUAL="", EDITOR=str(here / "code"))
    assert edited(here) == ["--goto mine.c:5"]


@pytest.mark.parametrize("words, code, said, more", [
    ([], USAGE, "takes a benchmark", {}),
    ([""], USAGE, "takes a benchmark", {}),
    (["a", "b", "c"], USAGE, "takes a benchmark", {}),
    (["nosuch.c"], USAGE, "Cannot read nosuch.c: No such file", {}),
    (["mine.c", "third"], USAGE, "mine.c holds no BENCH(third.", {}),
    (["plan.txt"], USAGE, "Cannot read plan.txt", {}),
    (["strlne"], USAGE, "Did you mean: benchctl edit strlen?", {}),
    (["strings/strln"], USAGE, "Did you mean: benchctl edit strings/strlen?", {}),
    (["nosucharea/x"], USAGE, "No built-in benchmark is named nosucharea/x.", {}),
    (["mine.c"], USAGE, "Cannot run the editor /nosuch: No such file", {"VISUAL": "/nosuch"}),
    (["mine.c"], USAGE, "ended with code 1, so nothing was built", {"VISUAL": ""}),
])
def test_what_cannot_be_edited_says_why(typed, words, code, said, more):
    assert said in typed("edit", *words, expect=code, **more).stderr


@pytest.mark.parametrize("words, said", [
    (["strings/strlen"], "Cannot run make: No such file or directory.\n          Install it (Debian: apt install make)."),
    (["mine.c"], "Cannot run the compiler cc: No such file or directory.\n          Install one (Debian: apt install gcc g++)"),
])
def test_a_tool_that_is_missing_is_named_and_is_no_error_of_the_source(typed, here, words, said):
    (here / "tools").mkdir()
    for tool in ("sh", "sed", "wc"):
        (here / "tools" / tool).symlink_to(shutil.which(tool))
    assert said in typed("edit", *words, expect=MACHINE, PATH=str(here / "tools"), CC="").stderr


def test_errors_of_the_compiler_end_it_where_nobody_can_be_asked(typed, here):
    (here / "plan").write_text("s/clobber()/clobber(/\n")
    said = typed("edit", "mine.c", expect=BENCHMARK).stderr
    assert "mine.c:3:" in said and "mine.c does not compile" in said and "Edit it again" not in said


def test_at_a_terminal_errors_lead_back_and_a_run_is_offered(typed, here):
    (here / "plan").write_text("s/clobber()/clobber(/\ns/clobber(;/clobber();/\n")
    run = typed.on_terminal("edit", "mine.c", "second", everything=True, TERM="dumb")
    for question, answer in ("Edit it again? [Y/n] ", b"\n"), ("Run it: benchctl run --private mine.c -- second? [Y/n] ", b"y\n"):
        run.await_text(re.escape(question))
        os.write(run.terminal, answer)
    run.end(DONE)
    seen = run.seen.decode()
    assert len(edited(here)) == 2
    assert "  second  " in seen and "Job " in seen
