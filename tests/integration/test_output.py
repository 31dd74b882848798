# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module prints explains its failure, in every format, and is not lost otherwise."""

import json

import pytest

from support.benchctl import BENCHMARK, Benchctl
from support.client import Failed

TOUCHES = "process-fds report-output"

ENDS = r"""
#include <assert.h>
#include <stdio.h>
BENCH(quiet) { bench_loop(b) bench_clobber(); }
BENCH(chatty) { fputs("thirty-seven bytes, with the newline.\n", stderr); bench_loop(b) bench_clobber(); }
BENCH(asserts) {
    for (int i = 0; i < 9; i++)
        fprintf(stderr, "line %d\033[31m\r\n", i);
    bench_loop(b) assert(1 == 2);
}
BENCH(endless) { for (int i = 0; i < 2000; i++) fprintf(stderr, "number %d\n", i); bench_fail(b, "enough"); bench_loop(b) ; }
BENCH(skips) { fputs("not here\n", stderr); bench_skip(b, "no"); bench_loop(b) ; }
"""
FAILS_TO_LOAD = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void refuse(void) { fputs("first\\nno licence\\033[2J found\\n", stderr); _Exit(1); }
BENCH(empty) { bench_loop(b) bench_clobber(); }
"""


@pytest.fixture(scope="module")
def ends(modules):
    return modules(ENDS, name="ends")


def run(build, *words, status):
    return Benchctl(build, "--private")("run", "--quick", *words, expect=status)


def below(text, row):
    """The output lines below the row that has these words."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if row in line) + 1
    end = next((i for i in range(at, len(lines)) if "    | " not in lines[i]), len(lines))
    return [line.split("    | ")[1] for line in lines[at:end]]


@pytest.mark.parametrize("form", ["table", "details", "mark"])
def test_the_last_lines_stand_below_a_failure_in_every_format(build, ends, form):
    text = run(build, f"--format={form}", ends, status=3).stdout
    asserts = below(text, "signal 6")
    assert len(asserts) == 6 and asserts[0] == "… 5 lines before"
    assert asserts[1] == "line 5\ufffd[31m\ufffd" and "Assertion `1 == 2' failed" in asserts[5]
    assert below(text, "enough")[-1] == "number 1999"
    assert below(text, "It called bench_skip") == []
    assert "\033" not in text


def test_what_did_not_fail_has_a_note_and_the_details_have_its_text(build, ends):
    table = run(build, ends, "--", "quiet", "chatty", status=0).stdout
    assert "thirty-seven" not in table
    details = run(build, "--format=details", ends, "--", "quiet", "chatty", status=0).stdout
    assert "printed" not in next(line for line in details.splitlines() if "  quiet " in line)
    assert "printed 38 bytes" in next(line for line in details.splitlines() if "  chatty " in line)
    assert below(details, "/chatty printed 38 bytes:") == ["thirty-seven bytes, with the newline."]


def test_the_result_has_the_end_of_what_the_failing_process_printed(build, ends):
    result = json.loads(run(build, "--format=json", ends, status=3).stdout)
    rows = {row["name"]: row for row in result["benchmarks"]}
    assert rows["quiet"]["output"] is None and rows["quiet"]["output_bytes"] is None
    assert rows["endless"]["output"].startswith("number ") and rows["endless"]["output"].endswith("\nnumber 1999\n")
    assert len(rows["endless"]["output"]) <= 4096
    assert rows["endless"]["output_bytes"] == sum(len(f"number {i}\n") for i in range(2000))


def test_a_comparison_says_why_its_rows_have_no_number(build, ends, tmp_path):
    copy = tmp_path / "copy.so"
    copy.write_bytes(ends.read_bytes())
    done = Benchctl(build, "--private")("compare", "--quick", ends, copy, "asserts", expect=BENCHMARK)
    assert "Assertion `1 == 2' failed" in below(done.stdout, " side).")[-1]


def test_a_failure_to_load_carries_what_was_printed(build, client, modules):
    module = modules(FAILS_TO_LOAD)
    with pytest.raises(Failed) as failed:
        client.run(module, quick=True)
    assert failed.value.code == "BAD_MODULE"
    assert failed.value.failure == "exited"
    assert failed.value.output == "first\nno licence\ufffd[2J found\n"
    with pytest.raises(Failed) as failed:
        client.list(module)
    assert failed.value.output
    said = run(build, module, status=3).stderr
    assert below(said, "exit status 1 while the module was loaded") == ["first", "no licence\ufffd[2J found"]


def test_a_failure_to_load_is_explained_after_the_fact_too(client, modules):
    job = client.detach(modules(FAILS_TO_LOAD), quick=True)
    with pytest.raises(Failed) as failed:
        client.wait(job.run_id)
    assert failed.value.output.startswith("first\n")


def test_a_module_with_a_sanitizer_runs_as_a_program_with_it_does(build, modules):
    """Its runtime is loaded first, as it wants to be."""
    module = modules("BENCH(over) { volatile char *p = calloc(1, 8); bench_loop(b) bench_use(p[8]); }", "-fsanitize=address", "-O0",
                     "-include", "stdlib.h")
    row, = json.loads(run(build, "--format=json", module, status=3).stdout)["benchmarks"]
    assert "heap-buffer-overflow" in row["output"]
