# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module's file tells: its build, its timed loops, its source; and the findings that a run makes of them."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess

import pytest

import benchd_pb2 as pb
from support import builds
from support.client import PATIENT, Failed, sealed_memfd
from support.daemon import Daemon
from support.paths import WITHOUT_NAMESPACES, open_directory
from support.tree import PROGRAMS

TOUCHES = "daemon/inspect/* code-findings inspection inspections"

BODIES = pathlib.Path(__file__).parent / "modules" / "inspected.c"
COMPILERS = ["gcc", "clang"]
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]


@contextlib.contextmanager
def sealed(data):
    fd = sealed_memfd(data)
    try:
        yield fd
    finally:
        os.close(fd)


@pytest.fixture(scope="module")
def bodies(modules):
    return lambda compiler, *flags: modules(BODIES, *flags, compiler=compiler)


def by_name(inspection):
    return {benchmark.name: benchmark for benchmark in inspection.benchmarks}


def called(benchmark):
    return {call.kind: call.function for call in benchmark.calls}


def words(inspection):
    """The words of the loop's instructions."""
    return [i.text for i in inspection.functions[0].instructions if i.in_loop]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_each_loop_is_found_whatever_the_compiler_and_its_level(client, bodies, compiler, level):
    inspection = client.inspect(bodies(compiler, level, "-g"))
    rows = by_name(inspection)
    assert len(rows) == 14
    for row in rows.values():
        assert row.HasField("loop"), row.name
        assert row.loop.start < row.loop.end and row.loop.line_offset == row.loop.start % 64
    assert {name: called(row) for name, row in rows.items() if row.calls} == {
        "chatty": {"output": "printf"}, "printing": {"output": "printf"}, "gulps": {"input": "read"},
        "lookup": {"file": "access"}, "dozes": {"sleep": "usleep"}}
    assert inspection.module.optimized == (level != "-O0")
    empty = {name for name, row in rows.items() if row.empty}
    assert empty == (set() if level == "-O0" else {"empty", "lost"})


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_product_stands_in_its_loop_once_and_an_inner_loop_within_the_outer(client, bodies, compiler):
    module = bodies(compiler, "-O2", "-g")
    loop = words(client.inspect(module, "product", code=True))
    assert len([text for text in loop if "imul" in text or text.startswith("lea")]) >= 1
    assert not any(text.startswith("call") for text in loop)
    inner = client.inspect(module, "inner", code=True)
    assert len(words(inner)) > len(loop)
    assert [i for i in inner.functions[0].instructions if not i.in_loop]


def test_what_is_paused_is_in_the_loop_and_not_timed(client, bodies):
    inspection = client.inspect(bodies("gcc", "-O2"), "chatty_in_pause", code=True)
    calls = {i.target: i for i in inspection.functions[0].instructions if i.target and i.in_loop}
    assert calls["printf"].in_loop and not calls["printf"].timed
    assert calls["getppid"].timed


def test_the_build_is_told(client, bodies):
    module = client.inspect(bodies("gcc", "-O2", "-g", "-Wl,--build-id=0x0123456789abcdef")).module
    assert module.build_id == "0123456789abcdef"
    assert module.compiler.startswith("gcc ") and "-O2" in module.flags.split()
    assert module.debug_info and not module.stripped and module.optimized
    module = client.inspect(bodies("clang", "-O0", "-g", "-grecord-command-line")).module
    assert "lang" in module.compiler and "-O0" in module.flags.split()
    assert not module.optimized


def test_a_stripped_module_has_its_loops_without_names(client, bodies):
    inspection = client.inspect(bodies("gcc", "-O2", "-s", "-Wl,--build-id=none"))
    assert inspection.module.stripped and not inspection.module.debug_info
    assert not inspection.module.HasField("build_id") and not inspection.module.HasField("flags")
    rows = by_name(inspection)
    assert all(row.HasField("loop") and not row.loop.HasField("function") for row in rows.values())
    assert called(rows["gulps"]) == {"input": "read"}


def test_cplusplus_bodies_are_found_behind_what_catches_their_exceptions(client, modules, tmp_path):
    source = tmp_path / "cplusplus.cc"
    source.write_text("""
        #include <benchd/bench.h>
        #include <iostream>
        #include <sstream>
        #include <vector>
        BENCH(grows) { std::vector<int> v; bench_loop(b) { v.push_back(1); bench_use(v.data()); if (v.size() > 100) v.clear(); } }
        struct Shape {
                virtual int a(const char *) { return 1; } virtual int b(const char *) { return 2; }
                virtual int c(const char *) { return 3; } virtual int d(const char *) { return 4; }
                virtual int e(const char *) { return 5; } virtual int f(const char *) { return 6; }
        };
        BENCH(methods) {
                Shape shape, *s = &shape;
                bench_loop(b) {
                        bench_opaque(s); bench_use(s->a("a")); bench_opaque(s); bench_use(s->b("b")); bench_opaque(s); bench_use(s->c("c"));
                        bench_opaque(s); bench_use(s->d("d")); bench_opaque(s); bench_use(s->e("e")); bench_opaque(s); bench_use(s->f("f"));
                }
        }
        BENCH(to_cout) { bench_loop(b) { std::cout << 1 << "\\n"; } }
        BENCH(to_memory) { bench_loop(b) { std::ostringstream s; s << 1; bench_use(s.str().size()); } }
        """)
    for compiler in ["g++", "clang++"]:
        for level in ["-O0", "-O2", "-O3"]:
            rows = by_name(client.inspect(modules(source, level, compiler=compiler)))
            assert all(row.HasField("loop") for row in rows.values()), (compiler, level)
            assert rows["methods"].loop.instructions > 24, (compiler, level)
            assert {name: called(row) for name, row in rows.items() if row.calls} == {"to_cout": {"output": "std::ostream"}}


def test_instructions_have_their_lines_and_the_module_its_source(client, bodies):
    inspection = client.inspect(bodies("gcc", "-O2", "-g"), "product", code=True, source=True)
    source = inspection.sources[0]
    assert source.text.splitlines() == BODIES.read_text().splitlines()
    line = source.text.splitlines()[inspection.benchmarks[0].line - 1]
    assert line.startswith("BENCH(product")
    assert source.path.endswith(".c") and os.path.isabs(source.path)
    of_loop = {(i.source, i.line) for i in inspection.functions[0].instructions if i.in_loop}
    first = inspection.benchmarks[0].line
    own = {line for of, line in of_loop if of == 0}
    assert own and own <= set(range(first, first + 7))
    assert inspection.sources[1].name.endswith("bench.h")
    without = client.inspect(bodies("gcc", "-O2", "-g"), "product")
    assert not without.functions and not without.sources[0].HasField("text")


@pytest.mark.parametrize("line, first", [(3000, 2800), (900_000, 1)])
def test_a_long_source_is_told_from_before_its_benchmark_whatever_line_it_claims(client, modules, line, first):
    """Generated code names lines that its file may not have."""
    text = "BENCH_EMBED_SOURCE;\n" + "/* some words that fill a line of text */\n" * 4000
    inspection = client.inspect(modules(f"{text}#line {line}\nBENCH(x) {{ bench_loop(b) ; }}"), "x", source=True)
    source = inspection.sources[0]
    assert inspection.benchmarks[0].line == line and source.first_line == first
    assert 0 < len(source.text) < 1 << 17 and inspection.cuts


def test_the_bytes_and_words_are_those_of_objdump(client, bodies):
    module = bodies("gcc", "-O2", "-g")
    told = {i.address: i for f in client.inspect(module, "inner", code=True).functions for i in f.instructions}
    text = subprocess.run(["objdump", "-d", "-Mintel", "-w", module], capture_output=True, text=True, check=True).stdout
    known = {int(line.split(":")[0], 16): line.split("\t")[1].replace(" ", "")
             for line in text.splitlines() if line.count("\t") >= 2 and line.startswith(" ")}
    assert len(told) > 20
    assert {address: i.bytes for address, i in told.items()} == {address: known[address] for address in told}


def test_a_benchmark_that_is_not_there_is_named(client, bodies, modules):
    with pytest.raises(Failed) as failed:
        client.inspect(bodies("gcc", "-O2"), "nosuch")
    assert failed.value.code == "NO_MATCH" and "it has no benchmark nosuch" in failed.value.message
    both = modules('BENCH(one, .area = "left") { bench_loop(b) ; }\n'
                   '#define bench_descriptor_one bench_descriptor_two\n#define bench_pointer_one bench_pointer_two\n'
                   '#define bench_body_one bench_body_two\nBENCH(one, .area = "right") { bench_loop(b) ; }')
    with pytest.raises(Failed) as failed:
        client.inspect(both, "one")
    assert failed.value.code == "NO_MATCH" and "several areas" in failed.value.message
    assert by_name(client.inspect(both, "right/one"))["one"].area == "right"


def test_the_module_of_an_earlier_job_is_inspected(kept, bodies):
    with kept() as daemon, daemon.connect() as client:
        run = client.run(bodies("gcc", "-O2", "-g"), filters=["product"], quick=True, **PATIENT)
        inspection = client.inspect(run.accepted.run_id, "product", code=True)
        assert inspection.module.sha256 == run.result.module.sha256
        assert words(inspection)
        with pytest.raises(Failed) as failed:
            client.inspect("0123abcd", "product")
        assert failed.value.code == "NOT_FOUND"


def test_a_run_tells_the_build_and_each_finding_once_with_what_to_do(client, bodies):
    run = client.run(bodies("gcc", "-O2", "-g"), quick=True, processes=3, samples=3, **PATIENT)
    assert "-O2" in run.result.module.flags and not run.result.module.stripped and run.result.module.debug_info
    kinds = {row.name: {finding.kind for finding in row.findings} for row in run.benchmarks.values()}
    of_code = {"empty-loop", "empty-inner-loop", "calls-output", "calls-input", "calls-file", "calls-sleep"}
    found = {name: sorted(kind & of_code) for name, kind in kinds.items() if kind & of_code}
    assert found.pop("chatty", ["calls-output"]) == ["calls-output"]  # or it was seen to print
    assert found.pop("dozes", ["calls-sleep"]) == ["calls-sleep"]  # ... to wait
    assert found == {"lost": ["empty-loop"], "unseen": ["empty-inner-loop"], "gulps": ["calls-input"], "lookup": ["calls-file"]}
    for name, own, seen in [("chatty", "calls-output", "prints"), ("dozes", "calls-sleep", "waits")]:
        assert len({own, seen} & kinds[name]) == 1, kinds[name]
    assert any("read() through helper" in text for text in next(row for row in run.benchmarks.values() if row.name == "gulps").warnings)


@pytest.mark.parametrize("level", LEVELS[1:])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_an_inner_loop_that_only_counts_is_named_and_one_that_works_is_not(client, modules, compiler, level):
    run = client.run(modules(BODIES.with_name("counting.cc"), level, "-g", compiler=compiler), processes=1, samples=3, **PATIENT)
    told = {row.name: row.warnings for row in run.benchmarks.values() if any(f.kind.startswith("empty-") for f in row.findings)}
    assert set(told) == {row.name for row in run.benchmarks.values() if row.name.startswith("lost_")}
    lines = BODIES.with_name("counting.cc").read_text().splitlines()
    for name, warnings in told.items():
        sentence, = (text for text in warnings if "does nothing but count" in text)  # "its loop": the inner one was unrolled away
        line = re.search(r"an inner loop \(line (\d+)\) ", sentence)
        if line:
            start = next(i for i, text in enumerate(lines, 1) if text.startswith(f"BENCH({name})"))
            assert start < int(line[1]) < start + 12, sentence


def test_a_file_that_was_run_before_is_not_inspected_again_and_all_is_told_as_before(client, bodies):
    def inspections():
        return sum(turns.turns for turns in client.status().turns if turns.kind == "inspection")

    def told(run):
        row, = run.benchmarks.values()
        return run.result.module.SerializeToString(deterministic=True), [finding.kind for finding in row.findings if finding.kind == "calls-file"]

    module, brief = bodies("gcc", "-O1", "-g"), dict(filters=["lookup"], processes=1, samples=3, **PATIENT)
    before = inspections()
    first, again = client.run(module, **brief), client.run(module, **brief)
    assert told(first) == told(again) and "-O1" in again.result.module.flags and told(again)[1] == ["calls-file"]
    assert inspections() == before + 1
    compared = client.compare(bodies("gcc", "-O3", "-g"), module, **brief)
    assert compared.result.old_module == first.result.module
    assert inspections() == before + 2


def test_a_comparison_tells_the_build_of_both_modules(client, bodies):
    run = client.compare(bodies("gcc", "-O2", "-g"), bodies("gcc", "-O3", "-g"), filters=["product"], processes=3, samples=3,
                         **PATIENT)
    assert "-O2" in run.result.module.flags.split() and "-O3" in run.result.old_module.flags.split()
    assert run.result.old_module.compiler == run.result.module.compiler


def test_a_comparison_says_which_side_was_compiled_without_optimisation(client, bodies):
    fast, slow = bodies("gcc", "-O2"), bodies("gcc", "-O0")
    for new, old, side in [(slow, fast, "the module"), (fast, slow, "the old module")]:
        run = client.compare(new, old, filters=["product"], processes=3, samples=3, **PATIENT)
        told = [text.split(" was compiled")[0] for text in run.result.warnings if "without optimisation" in text]
        assert told == [side]


# ---- files that do not tell

NOT_INSPECTED = "the file of a module could not be inspected"


def patched(path, tmp_path, patch):
    """A copy of the module at path, whose bytes @patch changes in place."""
    data = bytearray(path.read_bytes())
    patch(data)
    copy = tmp_path / "patched.so"
    copy.write_bytes(data)
    return copy


def sections(data):
    """The offsets and sizes of the sections of an ELF file, by name."""
    start, size, n, names = *struct.unpack_from("<Q", data, 40), *struct.unpack_from("<HHH", data, 58)
    rows = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(n)]
    text = rows[names][4]
    return {bytes(data[text + row[0]:]).split(b"\0")[0].decode(): (row[4], row[5]) for row in rows}


def measures(client, module):
    return client.run(module, filters=["product"], quick=True, **PATIENT)


def test_a_module_without_section_headers_runs_and_the_result_says_what_is_not_known(client, bodies, tmp_path):
    def cut(data):
        data[40:48] = bytes(8)
        data[58:64] = bytes(6)

    module = patched(bodies("gcc", "-O2"), tmp_path, cut)
    run = measures(client, module)
    assert [text for text in run.result.warnings if text.startswith(NOT_INSPECTED)]
    assert not run.result.module.HasField("flags") and not run.result.module.HasField("stripped")
    assert run.result.module.compiler.startswith("gcc ") and run.result.module.optimized
    with pytest.raises(Failed) as failed:
        client.inspect(module)
    assert failed.value.code == "BAD_MODULE" and "no section headers" in failed.value.message


@pytest.mark.parametrize("section", [".debug_info", ".debug_line", ".debug_abbrev", ".debug_str", ".strtab", ".symtab"])
def test_garbage_in_a_section_of_no_use_to_the_loader_disturbs_no_run(client, bodies, tmp_path, section):
    def scribble(data):
        offset, size = sections(data)[section]
        data[offset:offset + size] = random.Random(7).randbytes(size)

    module = patched(bodies("gcc", "-O2", "-g"), tmp_path, scribble)
    assert not [text for text in measures(client, module).result.warnings if text.startswith(NOT_INSPECTED)]
    assert client.inspect(module, "product", code=True).benchmarks[0].HasField("loop")


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9, 0.99])
def test_a_file_that_is_cut_short_is_refused_in_words(client, bodies, share):
    data = bodies("gcc", "-O2", "-g").read_bytes()
    with sealed(data[:int(len(data) * share)]) as fd, pytest.raises(Failed) as failed:
        client.call([fd], inspect=pb.InspectRequest(module_name="short.so"))
    assert failed.value.code == "BAD_MODULE" and failed.value.message.startswith("short.so: ")


def test_what_is_no_module_is_refused_in_words(client, modules):
    for data, word in [(b"#!/bin/sh", "not an ELF file"), (pathlib.Path("/bin/true").read_bytes(), "no benchmark")]:
        with sealed(data) as fd, pytest.raises(Failed) as failed:
            client.call([fd], inspect=pb.InspectRequest(module_name="m"))
        assert failed.value.code == "BAD_MODULE" and word in failed.value.message, failed.value.message


DYING = "#include <stdlib.h>\nint main(void) { abort(); }"
ENDLESS = "int main(void) { for (;;) ; }"


STARTED = """
#include <stdio.h>
int main(void) {{ fclose(fopen("{}", "w")); for (;;) ; }}
"""


@contextlib.contextmanager
def with_reader(build, tmp_path, program, **options):
    """A daemon with this program in the place of benchd-inspect."""
    with open_directory() as tree:
        for name in [*PROGRAMS, "runner/benchd-runner"]:
            (tree / "daemon" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(build / "daemon" / name, tree / "daemon" / name)
        (tmp_path / "program.c").write_text(program)
        subprocess.run(["gcc", tmp_path / "program.c", "-o", tree / "daemon/inspect/benchd-inspect"], check=True)
        builds.pass_for(tree / "daemon/inspect/benchd-inspect", build / "daemon/inspect/benchd-inspect")
        with Daemon(tree, tmp_path, launch=["--no-probes"], **options) as daemon:
            yield daemon


@pytest.mark.parametrize("program, word", [(DYING, "crashed"), (ENDLESS, "timeout")])
def test_a_reader_that_its_file_overpowers_spoils_no_run(build, tmp_path, bodies, program, word):
    """One that dies, or does not end, stands in its place."""
    with with_reader(build, tmp_path, program) as daemon, daemon.connect() as client:
        run = measures(client, bodies("gcc", "-O2"))
        assert [text for text in run.result.warnings if text.startswith(NOT_INSPECTED)]
        assert next(iter(run.benchmarks.values())).time_ns.HasField("point")
        with pytest.raises(Failed) as failed:
            client.inspect(bodies("gcc", "-O2"))
        assert failed.value.code == "BAD_MODULE" and word in failed.value.message


def test_a_run_that_cannot_be_planned_is_refused_before_its_file_is_inspected(build, tmp_path, bodies):
    """The reader leaves a file, which it could not from namespaces of its own."""
    with open_directory() as seen:
        seen.chmod(0o777)
        with with_reader(build, tmp_path, STARTED.format(seen / "started"), wrapper=WITHOUT_NAMESPACES) as daemon, daemon.connect() as client:
            with pytest.raises(Failed) as failed:
                client.run(bodies("gcc", "-O2"), filters=["nosuch"], quick=True)
            assert failed.value.code == "NO_MATCH" and not (seen / "started").exists()
            with pytest.raises(Failed):
                client.inspect(bodies("gcc", "-O2"))
            assert (seen / "started").exists()


def test_a_run_is_cancelled_while_its_file_is_inspected(build, tmp_path, bodies):
    """Its reader does not end by itself."""
    with with_reader(build, tmp_path, ENDLESS) as daemon, daemon.connect() as client, daemon.connect() as other:
        request = client.submit(bodies("gcc", "-O2"), filters=["product"], quick=True)
        while not daemon.find("benchd-inspect"):
            other.status()
        run_id, = (entry.run_id for entry in other.history())
        assert other.cancel_job(run_id)
        with pytest.raises(Failed) as failed:
            client.collect(request)
        assert failed.value.code == "CANCELLED"
        while daemon.find("benchd-inspect"):
            other.status()
        assert other.list(bodies("gcc", "-O2")).benchmarks
