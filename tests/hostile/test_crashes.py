# SPDX-License-Identifier: GPL-3.0-or-later
"""A crash is told with its place; a lie about one harms nobody."""

import os
import pathlib
import re
import subprocess

import pytest

from support.steady import SteadyDaemon

TOUCHES = "crash* process-end"

CRASHES = pathlib.Path(__file__).parent / "modules" / "crashes.c"
PLACE = r"\+0x[0-9a-f]+"

# benchmark: what its sentence is
SENTENCES = {
    "null_read": rf"signal 11 \(Segmentation fault\) in its first call, at reads{PLACE}, reading address 0x0\.",
    "null_write": rf"signal 11 .*, at writes{PLACE}, writing address 0x0\.",
    "null_call": rf"signal 11 .*, at jumps{PLACE}, jumping to address 0x0\.",
    "beyond_addresses": rf"signal 11 .* in its first call, at reads{PLACE}\.",
    "by_zero": rf"signal 8 .*, at divides{PLACE}\.",
    "undefined": rf"signal 4 .*, at breaks{PLACE}\.",
    "assertion": rf"signal 6 .*, at asserts{PLACE}\.",
    "in_library": rf"signal 11 .*, at \S+ of libc\S*, called from measures{PLACE}, reading address 0x40\.",
    "full_stack": rf"signal 11 .*, at recurses{PLACE}: its stack of 8 MiB is full\. --stack=SIZE allows more, up to stack_max= of benchd\.conf\.",
    "full_stack_of_one_frame": rf"signal 11 .*, at bench_body_full_stack_of_one_frame{PLACE}: its stack of 8 MiB is full\. --stack=SIZE allows more, up to stack_max= of benchd\.conf\.",
    "full_stack_of_a_thread": rf"signal 11 .*, at recurses{PLACE}: its stack of 8 MiB is full\. --stack=SIZE allows more, up to stack_max= of benchd\.conf\.",
    "holds_text_back": rf"signal 11 .*, at reads{PLACE}, reading",
    "has_its_own": r"ended its process with exit status 51 ",
    "crashes_again": r"signal 11 \(Segmentation fault\) in its first call\.",
    "takes_the_block_away": r"signal 6 \(Aborted\) in its set-up, before the loop\.",
    "fakes_a_place": "signal 15 .*, at \ufffd\\[2Jnowhere \\+0x0, reading address 0x0\\.",
    "fakes_without_end": r"signal 15 \(Terminated\) at an unknown point\.",
    "fakes_an_access": r"signal 15 \(Terminated\) at an unknown point\.",
    "fakes_another_signal": r"signal 15 \(Terminated\) in its set-up, before the loop\.",
    "has_a_child_that_crashes": r"signal 15 \(Terminated\) in its first call\.",
}


@pytest.fixture(scope="module")
def crashes(modules, tmp_path_factory, build):
    with SteadyDaemon(build, tmp_path_factory.mktemp("crashes")) as daemon, daemon.connect() as client:
        yield client.run(modules(CRASHES, name="crashes"), quick=True, timeout_ns=120 * 10**9)


def of(run, name):
    return next(result for full, result in run.benchmarks.items() if re.fullmatch(rf"crashes/{name}( threads=\d+)?", full))


@pytest.mark.parametrize("name", SENTENCES)
def test_each_crash_is_told_with_its_place(crashes, name):
    if name.endswith("of_a_thread") and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")
    message = of(crashes, name).failed.message
    assert re.search(SENTENCES[name], message), message


def test_the_good_one_beside_them_is_right(crashes):
    assert not of(crashes, "well").HasField("failed")


def test_text_that_was_not_written_yet_is_not_lost(crashes):
    assert of(crashes, "holds_text_back").output == "not yet written"


def test_the_place_is_right_to_the_instruction(crashes, modules):
    """The offset names an instruction that touches memory, by the module's own code."""
    offset = re.search(r"writes\+0x([0-9a-f]+)", of(crashes, "null_write").failed.message)[1]
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=writes", modules(CRASHES, name="crashes")],
                          capture_output=True, text=True, check=True).stdout
    start = int(re.search(r"^([0-9a-f]+) <writes>", code, re.M)[1], 16)
    line = next(line for line in code.splitlines() if line.strip().startswith(f"{start + int(offset, 16):x}:"))
    assert "movl" in line and "$0x1" in line


def test_a_stripped_module_tells_an_address_as_it_was_linked(client, modules):
    module = modules(CRASHES, "-s", name="stripped")
    whole = modules(CRASHES, name="crashes")
    run = client.run(module, quick=True, filters=["null_read", "in_library"])
    at = re.search(r", at 0x([0-9a-f]+) of the module, reading", of_any(run, "null_read"))[1]
    symbols = subprocess.run(["nm", "-S", whole], capture_output=True, text=True, check=True).stdout
    start, size = (int(n, 16) for n in re.search(r"^(\S+) (\S+) t reads$", symbols, re.M).groups())
    assert start <= int(at, 16) < start + size
    assert re.search(r"called from 0x[0-9a-f]+ of the module", of_any(run, "in_library"))


def of_any(run, name):
    return next(result.failed.message for full, result in run.benchmarks.items() if full.endswith(f"/{name}"))


def test_a_constructor_and_a_library_have_places_too(client, modules):
    crash = "int *volatile nowhere; "
    module = modules(crash + "__attribute__((constructor)) static void begins(void) { *nowhere = 1; }\n"
                             "BENCH(empty) { bench_loop(b) bench_clobber(); }")
    with pytest.raises(Exception) as failed:
        client.run(module, quick=True)
    assert re.search(rf"while the module was loaded, at begins{PLACE}, writing address 0x0", str(failed.value))
    library = modules(crash + "void breaks_in_library(void) { *nowhere = 1; }", "-Wl,-soname,libbreaks.so", name="libbreaks")
    link = library.with_name("libbreaks.so")
    if not link.exists():
        os.symlink(library, link)
    module = modules("void breaks_in_library(void);\nBENCH(calls) { bench_loop(b) { breaks_in_library(); bench_clobber(); } }",
                     f"-L{library.parent}", "-lbreaks")
    run = client.run(module, libraries=[link], quick=True)
    assert re.search(rf"at breaks_in_library{PLACE} of a library of the module, called from bench_body_calls{PLACE}, writing",
                     next(iter(run.benchmarks.values())).failed.message)


def test_a_comparison_and_an_unmoved_module_have_places_too(client, modules):
    module = modules(CRASHES, name="crashes")
    compared = client.compare(module, module, quick=True, filters=["null_read"])
    assert re.search(rf"at reads{PLACE}", next(iter(compared.benchmarks.values())).failed.message)
    fixed = client.run(module, quick=True, no_aslr=True, filters=["null_read"])
    assert re.search(rf"at reads{PLACE}", next(iter(fixed.benchmarks.values())).failed.message)
