# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl disasm: the machine code of a benchmark, its loop marked, its source between; and the static limit beside the measured cycles."""

import pathlib
import re
import shutil
import stat

import pytest
from support.benchctl import BRIEF, Benchctl


TOUCHES = "verb-disasm report-code report-limit static-limit instruction subject daemon/inspect/*"

SHOWN = pathlib.Path(__file__).parent / "modules" / "shown.c"
LINE_OF_STRLEN = 1 + SHOWN.read_text().split("bench_use(strlen(s));")[0].count("\n")

CXX = """
#include <benchd/bench.h>
#include <vector>
namespace deep {
template <typename T> [[gnu::noinline]] T total(const std::vector<T> &v) { T sum = 0; for (T x : v) sum += x; return sum; }
}
BENCH(sum) { std::vector<int> v(100, 3); bench_loop(b) { bench_opaque(v); bench_use(deep::total(v)); } }
"""

needs_llvm_mca = pytest.mark.skipif(not shutil.which("llvm-mca"), reason="llvm-mca (package llvm) is not installed")


@pytest.fixture
def benchctl(build, daemon):
    """The modules lie elsewhere than their source."""
    return Benchctl(build, f"--socket={daemon.socket}", f"--source-dir={SHOWN.parent}")


def marked(text):
    """The instructions that the loop's mark stands beside."""
    return [match[1] for match in re.finditer(r"^[┌│┊└╶] +[0-9a-f]+  (.*)$", text, re.M)]


def code_of(shown):
    """The instructions of JSON, with those of the loop apart."""
    instructions = shown["functions"][0]["instructions"]
    return instructions, [row for row in instructions if row["in_loop"]]


@pytest.mark.parametrize("flags", [["-g"], [], ["-s"]], ids=["debug", "plain", "stripped"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_loop_is_marked_and_its_calls_have_names(benchctl, modules, compiler, flags):
    module = modules(SHOWN, *flags, compiler=compiler)
    shown = benchctl("disasm", module, "length").stdout
    instructions, loop = code_of(benchctl.json("disasm", module, "length"))
    assert shown.startswith("shown/length, shown.c:")
    assert len(marked(shown)) == len(loop) < len(instructions)
    assert [line for line in marked(shown) if line.startswith("call")] == ["call   strlen"] or "→ strlen" in shown
    assert (f"shown.c:{LINE_OF_STRLEN}: bench_use(strlen(s));" in shown) == (flags == ["-g"])


def test_a_chain_of_products_has_one_in_its_loop(benchctl, modules):
    _, loop = code_of(benchctl.json("disasm", modules(SHOWN, "-g"), "product"))
    assert len([row for row in loop if re.match("lea|imul", row["text"])]) == 1


def test_a_body_that_was_optimised_away_is_told(benchctl, modules):
    module = modules(SHOWN, "-g")
    assert "Nothing is left in it but counting" in benchctl("disasm", module, "counts_only").stdout
    assert "Nothing is left" not in benchctl("disasm", module, "product").stdout


def test_a_function_that_the_loop_calls_is_shown_too(benchctl, modules, tmp_path):
    source = tmp_path / "sums.cc"
    source.write_text(CXX)
    shown = benchctl("disasm", modules(source, "-g"), "sum").stdout
    assert re.search(r"call +\S*total\S*", shown) and re.search(r"^\S*total\S*:$", shown, re.M)


def test_json_has_the_lines_that_are_shown_and_no_whole_source(benchctl, modules):
    shown = benchctl.json("disasm", modules(SHOWN, "-g", "-DEMBEDDED"), "length")
    assert shown["limit"] is None and shown["benchmark"]["name"] == "length"
    assert shown["sources"][0]["lines"][str(LINE_OF_STRLEN)] == "bench_use(strlen(s));" and "text" not in shown["sources"][0]


@pytest.mark.parametrize("columns", [44, 80, 160])
def test_no_line_is_wider_than_the_terminal(on_a_terminal, daemon, modules, columns):
    lines = on_a_terminal(columns, "disasm", f"--socket={daemon.socket}", modules(SHOWN, "-g"), "length", LC_ALL="C.UTF-8")
    assert len(lines) > 20 and any(line.startswith("┌") for line in lines)
    assert max(map(len, lines)) <= columns


def test_a_terminal_without_utf8_gets_ascii(on_a_terminal, daemon, modules):
    lines = on_a_terminal(80, "disasm", f"--socket={daemon.socket}", modules(SHOWN, "-g"), "length", LC_ALL="C")
    assert all(line.isascii() for line in lines)
    assert any(line.startswith(",") for line in lines) and any(line.startswith("`") for line in lines)


def test_the_details_have_the_bytes(benchctl, modules):
    module = modules(SHOWN, "-g")
    first = code_of(benchctl.json("disasm", module, "product"))[0][0]
    assert re.search(rf"{first['bytes']} +{re.escape(first['text'].split()[0])}", benchctl("disasm", "--format=details", module, "product").stdout)


def test_an_earlier_jobs_module_is_shown(build, kept, modules, tmp_path):
    module = tmp_path / "copy.so"
    shutil.copy(modules(SHOWN, "-g"), module)
    with kept(launch=["--no-probes"]) as daemon:
        benchctl = Benchctl(build, f"--socket={daemon.socket}")
        job = benchctl.json("run", *BRIEF, module, "--", "*/product")["run_id"]
        of_file = benchctl.json("disasm", module, "product")
        module.unlink()
        assert benchctl.json("disasm", f"@{job}", "product")["functions"] == of_file["functions"]


# ---- --static-limit

@needs_llvm_mca
def test_the_limit_stands_beside_the_cycles_that_were_measured(benchctl, modules):
    limit = benchctl.json("disasm", "--static-limit", modules(SHOWN, "-g"), "length")["limit"]
    assert [row["args"] for row in limit["measured"]] == [{"n": 8}, {"n": 64}]
    if limit["problem"]:
        assert limit["problem"] == "llvm-mca does not know this CPU."
        return
    assert limit["left_out"] == ["strlen"] and not limit["inner_loop"]
    assert 0 < limit["throughput_cycles"] <= limit["cycles"] * 1.01  # the end of the simulation
    shown = benchctl("disasm", "--static-limit", modules(SHOWN, "-g"), "length").stdout
    assert "by throughput" in shown and "measured n=64" in shown and "It leaves out the functions that the loop calls, and is too low: strlen." in shown


@needs_llvm_mca
def test_a_chain_is_limited_by_what_it_waits_for(benchctl, modules):
    """Five dependent products, of three cycles each on every x86-64 that the model knows."""
    chain = """BENCH(chain) { long n = 3; bench_loop(b) { __asm__("imul %0, %0\\n imul %0, %0\\n imul %0, %0\\n imul %0, %0\\n imul %0, %0"
               : "+r"(n)); bench_use(n); } }"""
    limit = benchctl.json("disasm", "--static-limit", modules(chain, name="chain"), "chain")["limit"]
    if limit["problem"]:
        assert limit["problem"] == "llvm-mca does not know this CPU."
        return
    assert limit["throughput_cycles"] == pytest.approx(5) and limit["cycles"] == pytest.approx(15, abs=0.1)


def shadowed(directory, script):
    """A PATH on which llvm-mca is @script, or nothing."""
    directory.mkdir()
    if script:
        program = directory / "llvm-mca"
        program.write_text(script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(directory)


@pytest.mark.parametrize("script, words", [
    (None, "llvm-mca is not installed: install the package llvm."),
    ("#!/bin/sh\necho '<stdin>:3:1: error: invalid instruction mnemonic' >&2\nexit 1\n", "llvm-mca refuses the instruction '"),
    ("#!/bin/sh\necho nonsense\n", "llvm-mca printed nothing that can be read."),
])
def test_without_a_limit_there_is_a_sentence_and_all_the_rest(benchctl, modules, tmp_path, script, words):
    module, path = modules(SHOWN, "-g"), shadowed(tmp_path / "bin", script)
    shown = benchctl("disasm", "--static-limit", module, "product", PATH=path).stdout
    assert words in shown and "measured" in shown and marked(shown)
    assert "by throughput" not in shown


@needs_llvm_mca
def test_llvm_mca_reads_instructions_and_nothing_else(benchctl, modules, tmp_path):
    seen = tmp_path / "seen"
    path = shadowed(tmp_path / "bin", f"#!/bin/sh\nexec /usr/bin/tee {seen}\n")
    benchctl("disasm", "--static-limit", modules(SHOWN, "-g"), "length", PATH=path)
    head, label, *lines = seen.read_text().splitlines()
    assert (head, label) == (".intel_syntax noprefix", ".Lplace:") and len(lines) > 2
    assert all(re.fullmatch(r"[a-z][A-Za-z0-9 ,+*:\[\](){}.-]*", line) for line in lines)
    assert not any(line.startswith("call") for line in lines)


def test_the_static_limit_takes_no_number(benchctl):
    assert "--static-limit takes no value" in benchctl("disasm", "--static-limit=3", "x", "y", expect=2).stderr
    assert "(only of history)" in benchctl("disasm", "--limit=3", "x", "y", expect=2).stderr
