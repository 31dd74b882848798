# SPDX-License-Identifier: GPL-3.0-or-later
"""benchd.rs: its structs are those of bench.h, and modules of it run as modules of C do."""

import re
import shutil
import subprocess

import pytest

from support.client import FEW, MEASURED
from support.paths import BUILD, SOURCE

TOUCHES = "include/benchd/benchd.rs examples/rust/*"


RUST, HEADER = SOURCE / "include/benchd/benchd.rs", SOURCE / "include/benchd/bench.h"
FEWER = FEW | dict(processes=2, samples=6)

pytestmark = pytest.mark.skipif(not shutil.which("rustc"), reason="no rustc")


@pytest.fixture(scope="session")
def rustc(tmp_path_factory):
    """Compiles the text of a crate, in which benchd is the module; returns the file that was made."""
    directory = tmp_path_factory.mktemp("rust")

    def rustc(text, *flags, name="crate_of_test", output="module.so", kind="cdylib"):
        source, made = directory / f"{name}.rs", directory / f"{name}-{output}"
        source.write_text(text)
        subprocess.run(["rustc", "--edition", "2021", "-O", "-D", "warnings", "--crate-type", kind, *flags, source, "-o", made], check=True)
        return made

    return rustc


USE = f'#[path = "{RUST}"]\nmod benchd;\n'


def structs():
    """The structs of benchd.rs, with their fields."""
    text = re.sub(r"//.*", "", RUST.read_text())
    found = re.findall(r"#\[repr\(C\)\]\s*(?:#\[derive\([^)]*\)\]\s*)?pub struct (\w+) \{(.*?)\n    \}", text, re.S)
    return {name: re.findall(r"pub (\w+):", fields) for name, fields in found}


def constants(text, pattern):
    return {name: int(value) for name, value in re.findall(pattern, text, re.M)}


def test_the_structs_have_the_layout_of_the_header(rustc, tmp_path):
    found = structs()
    assert len(found) == 12 and "bench" in found and "bench_options" in found
    lines = [(name, field) for name, fields in found.items() for field in [None, *fields]]

    (tmp_path / "layout.c").write_text("#define BENCH_NO_MODULE\n#include <benchd/bench.h>\n#include <stdio.h>\nint main(void) {\n" + "".join(
        f'printf("{name} {field} %zu %zu\\n", offsetof(struct {name}, {field}), sizeof ((struct {name} *)0)->{field});\n' if field
        else f'printf("{name} %zu\\n", sizeof(struct {name}));\n' for name, field in lines) + "}\n")
    subprocess.run(["gcc", f"-I{SOURCE}/include", "layout.c", "-o", "layout"], check=True, cwd=tmp_path)
    program = rustc(USE + "use benchd::abi::*;\nfn size<T>(_: *const T) -> usize { std::mem::size_of::<T>() }\nfn main() {\n" + "".join(
        f'let at = std::mem::MaybeUninit::<{name}>::uninit();\nlet field = unsafe {{ std::ptr::addr_of!((*at.as_ptr()).{field}) }};\n'
        f'println!("{name} {field} {{}} {{}}", field as usize - at.as_ptr() as usize, size(field));\n' if field
        else f'println!("{name} {{}}", std::mem::size_of::<{name}>());\n' for name, field in lines) + "}\n", kind="bin", output="layout")

    def told(path):
        return subprocess.run([path], check=True, capture_output=True, text=True).stdout.splitlines()

    expected = told(tmp_path / "layout")
    assert len(expected) == len(lines) and told(program) == expected


def test_the_constants_are_those_of_the_header():
    of_rust = constants(RUST.read_text(), r"pub const (BENCH_\w+): \w+ = (\d+);")
    header = HEADER.read_text()
    of_header = constants(header, r"^#define (BENCH_\w+) +(\d+)u?$")
    for words in re.findall(r"^enum \w* ?\{\n(.*?)^\};", header, re.M | re.S):
        of_header |= {name: i for i, name in enumerate(re.findall(r"^ +(BENCH_(?:AXIS|LOOP)_\w+)", words, re.M))}
    assert len(of_rust) > 8 and {name: of_header.get(name) for name in of_rust} == of_rust


@pytest.mark.skipif(not (BUILD / "examples/rust/sums.so").exists(), reason="the build has no example in Rust (-Drust)")
def test_the_example_runs(client):
    run = client.run(BUILD / "examples/rust/sums.so", **FEWER)
    assert set(run.benchmarks) == {"sums/sum/n=16", "sums/sum/n=256", "sums/sum/n=4096", "sums/sort"}
    assert run.result.verdict in MEASURED and run.result.module.compiler == "rustc"


FULL = USE + r"""
use benchd::{opaque, used, Bench};

extern "C" { fn simulated_pass(ns: u64); }
fn pass(ns: u64) { unsafe { simulated_pass(ns) } }

fn integers(b: Bench) { for _ in b.iterations() { pass(100 * b.arg(0) as u64); } }
fn product(b: Bench) {
    b.counter("seen", b.arg_real(1) + b.arg(0) as f64);
    b.label(b.arg_text(2));
    for _ in b.iterations() { pass(100); }
}
fn pauses(b: Bench) {
    for _ in b.iterations() { pass(1000); b.pause(); pass(50000); b.resume(); }
}
fn indexed(b: Bench) {
    let mut last = u64::MAX;
    for i in b.iterations() {
        if i != 0 && i != last + 1 || i >= b.batch() { b.fail("indices are not in order"); }
        last = i;
        pass(100);
    }
}
fn inputs(b: Bench) {
    let mut strings = b.inputs(|i| format!("{}", 1000 + i));
    for i in b.iterations() {
        if strings.next(|text| text.push('!') != () || *text != format!("{}!", 1000 + i)) { b.fail("another input"); }
        pass(100);
    }
}
fn rates(b: Bench) {
    b.ops(2);
    b.items(3.0);
    b.bytes(5.0);
    for _ in b.iterations() { pass(1000); }
}
fn setup(b: Bench) { b.set_context(Box::into_raw(Box::new(41u64))); }
fn teardown(b: Bench) { unsafe { drop(Box::from_raw(b.context::<u64>())) } }
fn reset(b: Bench) { unsafe { *b.context::<u64>() += 1 } }
fn context(b: Bench) {
    for _ in b.iterations() { pass(100); }
    b.counter("resets", (unsafe { *b.context::<u64>() } > 41) as u32 as f64);
}
fn own(b: Bench) { for _ in b.iterations() { pass(100); b.manual_ns(7.0); } }
fn values(b: Bench) {
    for _ in b.iterations() {
        used(opaque(1u8)); used(opaque(-1i16)); used(opaque(1u32)); used(opaque(1i64)); used(opaque(1usize)); used(opaque(1f32));
        used(opaque(2.5f64)); used(opaque(true)); used(opaque("text")); used(&vec![opaque(3u64)]); used(opaque(&[1u16; 3]));
        used(opaque(&[1u16, 2][..]));
        if opaque(200u8) != 200 || opaque(-5i8) != -5 || opaque("text") != "text" || opaque(&[1u16, 2][..]) != [1, 2] || *opaque(&7u8) != 7 || opaque(2.5) != 2.5 || !opaque(true) { b.fail("changed"); }
        pass(100);
    }
}
fn fails(b: Bench) { b.fail("100 % wrong") }
fn skips(b: Bench) { b.skip("not here") }
fn panics(b: Bench) { for _ in b.iterations() { if opaque(true) { panic!("it hurts") } } }
// Names of the header's own.
fn run(b: Bench) { text(b) }
fn text(b: Bench) { for _ in b.iterations() { pass(100); } }
fn breaks(b: Bench) { for _ in b.iterations() { if opaque(true) { break; } } }
fn kinds(b: Bench) { b.arg_real(0); }
fn too_few(b: Bench) { b.arg(1); }

benchd::module! {
    integers { area: "a", about: "some words", args: [integers(n, 1, 2)] },
    product { args: [linear(n, 0, 10, 10), reals(load, 0.5, 0.75), texts(kind, "one")] },
    pauses {},
    indexed { title: "with a title" },
    inputs {},
    rates {},
    context { setup: setup, teardown: teardown, reset: reset },
    own { processes: 1 },
    values {},
    fails {},
    skips {},
    panics {},
    breaks {},
    run {},
    text {},
    kinds { args: [range(n, 1, 1, 2)] },
    too_few { args: [range(n, 1, 1, 2)] },
    concealed { hidden: 1 },
}
fn concealed(b: Bench) { for _ in b.iterations() { pass(100); } }
"""


@pytest.fixture(scope="module")
def full(rustc):
    return rustc(FULL, name="full")


def test_a_module_is_listed_with_its_options(simulated, full):
    rows = {row.name: row for row in simulated.list(full).benchmarks}
    assert rows["integers"].area == "a" and rows["integers"].about == "some words" and rows["pauses"].area == "full"
    assert [list(argument.values) or list(argument.reals) or list(argument.texts) for argument in rows["product"].args] == [[0, 10], [0.5, 0.75], ["one"]]
    assert rows["concealed"].hidden and rows["indexed"].title == "with a title"


def said_of_a_panic():
    """Before 1.81 nothing stops the unwinding at a C function: Rust aborts without it."""
    version = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout
    return "it panicked" if tuple(map(int, re.findall(r"\d+", version)[:2])) >= (1, 81) else "crashed with signal 6"


def test_all_of_it_does_what_bench_h_does(simulated, full):
    run = simulated.run(full, **FEWER)
    rows = {name.partition("/")[2]: row for name, row in run.benchmarks.items()}

    def time(name):
        return pytest.approx(rows[name].time_ns.point, rel=0.01)

    assert time("integers/n=1") == 100 and time("integers/n=2") == 200
    assert {name: row.label for name, row in rows.items() if name.startswith("product/")} == {
        f"product/n={n}/load={load}/kind=one": "one" for n in (0, 10) for load in (0.5, 0.75)}
    assert rows["product/n=10/load=0.75/kind=one"].counters[0].value == 10.75
    assert time("pauses") == 1000 and time("indexed") == 100 and time("inputs") == 100 and time("rates") == 500
    assert rows["rates"].throughput.items_per_second == pytest.approx(3e6, rel=0.01)
    assert rows["rates"].throughput.bytes_per_second == pytest.approx(5e6, rel=0.01)
    assert rows["context"].counters[0].value == 1 and time("values") == 100 and time("run") == 100 and time("text") == 100
    assert time("own") == 7 and rows["own"].manual_time
    assert "100 % wrong" in rows["fails"].failed.message
    assert rows["skips"].failed.code == "skipped" and "not here" in rows["skips"].failed.message
    assert said_of_a_panic() in rows["panics"].failed.message and "it hurts" in rows["panics"].output
    assert rows["breaks"].failed.code == "break"
    assert "of another kind" in rows["kinds/n=1"].failed.message and "does not have" in rows["too_few/n=1"].failed.message
    assert "concealed" not in rows


def test_it_needs_no_standard_library_and_has_threads(client, rustc):
    module = rustc("#![no_std]\n" + USE + "#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n"
                   "fn bare(b: benchd::Bench) {\n    b.counter(\"threads\", (b.threads() + 10 * b.thread()) as f64);\n"
                   "    for _ in b.iterations() { benchd::clobber(); }\n}\nbenchd::module! { bare { threads: [1, 2] } }\n",
                   "-C", "panic=abort", name="bare")
    rows = client.run(module, **FEWER).benchmarks
    assert set(rows) == {"bare/bare", "bare/bare threads=2"} and rows["bare/bare"].counters[0].value == 1
    two = rows["bare/bare threads=2"]
    assert two.failed.code == "skipped" or two.counters[0].value == 2 + 2 + 10


def test_the_examples_of_its_documentation_compile_and_run(client, rustc):
    program, options = re.findall(r"^//! ```\n(.*?)^//! ```", RUST.read_text(), re.M | re.S)
    program = re.sub("^//! ?", "", program, flags=re.M).replace("/usr/include/benchd/benchd.rs", str(RUST))
    options = re.sub("^//! ?", "", options, flags=re.M)
    row = client.run(rustc(program, name="documented"), **FEWER).benchmarks["documented/sum_1000"]
    (listed,) = client.list(rustc(program.replace("sum_1000 { ", "sum_1000 { " + re.sub("//.*", "", options)), name="options")).benchmarks

    assert row.time_ns.point > 0
    assert [argument.name for argument in listed.args] == ["n", "m"] and list(listed.threads) == [1, 2]


def test_an_option_that_is_none_does_not_compile(rustc, capfd):
    with pytest.raises(subprocess.CalledProcessError):
        rustc(USE + "fn one(b: benchd::Bench) { for _ in b.iterations() {} }\nbenchd::module! { one { abuot: 1 } }\n", name="wrong")
    assert "abuot" in capfd.readouterr().err
