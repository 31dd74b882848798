# SPDX-License-Identifier: GPL-3.0-or-later
"""compare of sources: each process runs another link of them, so the interval covers the order of functions."""

import json
import shutil

import pytest

from support.benchctl import USAGE, Benchctl
from support.tree import PASS

TOUCHES = "relink function-order module-links compile verb-compare module-files run-seed"

FEW = ["--processes=12", "--samples=4", "--iterations=1", "--format=json"]

# The time is the place of a function before or behind another one: nothing else differs between two links.
PLACED = PASS + """
__attribute__((noinline)) static void first(void) { __asm__ volatile("# first"); }
__attribute__((noinline)) static void second(void) { __asm__ volatile("# second"); }
BENCH(placed) {
        uint64_t ns = (uintptr_t)first < (uintptr_t)second ? 1000000 : 2000000;
        first();
        second();
        bench_loop(b) simulated_pass(ns);
}
"""


@pytest.fixture
def typed(build, simulated_daemon, tmp_path):
    (tmp_path / "x.c").write_text("#include <benchd/bench.h>\n#include <stdint.h>\n" + PLACED)
    (tmp_path / "y.c").write_text("#include <benchd/bench.h>\n#include <stdint.h>\n" + PLACED)
    return Benchctl(build, cwd=tmp_path, **dict.fromkeys(["CC", "CXX", "CFLAGS", "CXXFLAGS", "LDLIBS"]),
                    BENCHD_SOCKET=simulated_daemon.socket, XDG_CACHE_HOME=tmp_path / "cache")


def compared(typed, *words, **more):
    result = json.loads(typed("compare", *FEW, *words, **more).stdout)
    return result, result["comparisons"][0]["ratio"]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("linker", ["bfd", "gold", "lld"])
def test_the_interval_covers_the_order_of_functions(typed, compiler, linker):
    if not shutil.which(compiler) or not shutil.which(f"ld.{linker}"):
        pytest.skip(f"no {compiler} with {linker} here")
    result, ratio = compared(typed, "--seed=7", "x.c", "y.c", CC=compiler, LDLIBS=f"-fuse-ld={linker}")

    assert result["module"]["links"] == result["old_module"]["links"] == 12 and result["seed"] == 7
    assert ratio["low"] < 0.9 < 1.1 < ratio["high"]


def test_one_link_has_one_order(typed):
    result, ratio = compared(typed, "--links=1", "x.c", "y.c")

    assert result["module"]["links"] is None and result["old_module"]["links"] is None
    assert 0.999 < ratio["low"] < 1 < ratio["high"] < 1.001


def test_a_source_against_itself_has_orders_of_its_own_on_either_side(typed):
    assert compared(typed, "--seed=7", "x.c", "x.c")[1]["high"] > 1.1


def test_the_seed_repeats_the_orders(typed, tmp_path):
    files = []
    for seed in 11, 11, 12:
        compared(typed, f"--seed={seed}", "x.c", "y.c")
        files.append(sorted(path.read_bytes() for path in tmp_path.glob("cache/benchd/modules/*.so")))

    assert files[0] == files[1] != files[2]


def test_each_link_is_kept_with_the_module(build, kept, tmp_path):
    (tmp_path / "x.c").write_text("#include <benchd/bench.h>\nBENCH(kept) { bench_loop(b) bench_clobber(); }\nvoid other(void) {}\n")
    with kept(launch=["--no-probes"]) as daemon:
        typed = Benchctl(build, cwd=tmp_path, BENCHD_SOCKET=daemon.socket, XDG_CACHE_HOME=tmp_path / "cache")
        job, _ = compared(typed, "x.c", "x.c")
        result, _ = compared(typed, "--links=1", "x.c", "@" + job["run_id"])

    assert result["module"]["links"] == 12 and result["old_module"]["links"] is None


def test_the_other_commands_take_the_first_link(typed, tmp_path):
    compared(typed, "x.c", "y.c")
    module = next(path for path in tmp_path.glob("cache/benchd/modules/y-*.so"))

    assert "placed" in typed("list", module).stdout
    assert "simulated_pass" in typed("disasm", module, "placed").stdout
    assert json.loads(typed("run", "--processes=3", *FEW[1:], module).stdout)["benchmarks"][0]["samples"] > 0


@pytest.mark.parametrize("more", [{"CFLAGS": "-flto"}, {"CFLAGS": "-fno-function-sections -fno-toplevel-reorder"}])
def test_code_that_cannot_be_put_in_order_is_linked_once(typed, more):
    done = typed("compare", *FEW, "x.c", "y.c", **more)

    assert json.loads(done.stdout)["module"]["links"] is None
    assert done.stderr.count("(linked once: ") == 2


@pytest.mark.parametrize("given", ["0", "65", "-1", "1x", "99999999999999999999"])
def test_the_number_of_links_has_bounds(typed, given):
    assert "--links takes a whole number from 1 to 64" in typed("compare", f"--links={given}", "x.c", "y.c", expect=USAGE).stderr


def test_what_is_linked_already_has_one_link(typed, tmp_path):
    typed("list", "x.c")
    module = next(path for path in tmp_path.glob("cache/benchd/modules/x-*.so"))
    result, ratio = compared(typed, "--links=5", module, module)

    assert result["module"]["links"] is None and ratio["high"] < 1.001
