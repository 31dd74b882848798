# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl source: the lines of a benchmark, from the module that carries them or from the file that it was compiled from."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from support.benchctl import BENCHMARK, BRIEF, USAGE, Benchctl


TOUCHES = "source-* verb-source disassembly"

ROOT = pathlib.Path(__file__).parents[2]
SHOWN = pathlib.Path(__file__).parent / "modules" / "shown.c"
PRODUCT = SHOWN.read_text().split("opening[] = \"/* { */\";\n\n")[1].split("\n\nBENCH(length")[0]
LINE = SHOWN.read_text().split("/* Multiplies")[0].count("\n") + 1


@pytest.fixture
def compiled(tmp_path):
    """Compiles a copy of the source in a directory of the test's own, with a relative name or its path."""
    def compile(*flags, compiler="gcc", name="shown.c", relative=False):
        source = tmp_path / name
        shutil.copy(SHOWN, source)
        module = source.with_suffix(".so")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", *flags,
                        name if relative else str(source), "-o", str(module)], check=True, cwd=tmp_path)
        return source, module

    return compile


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_lines_are_those_of_the_benchmark_with_its_comment(benchctl, compiled, compiler):
    source, module = compiled("-g", compiler=compiler)
    shown = benchctl("source", module, "product")
    assert shown.stdout == f"{source}:{LINE}\n{PRODUCT}\n"
    assert shown.stderr == ""


def test_json_tells_where_they_are_from(benchctl, compiled):
    source, module = compiled("-g")
    shown = benchctl.json("source", module, "shown/product")
    assert shown["source"] == PRODUCT
    assert (shown["area"], shown["name"], shown["path"], shown["origin"], shown["changed"]) == ("shown", "product", str(source), "file", False)
    assert (shown["first_line"], shown["line"], shown["last_line"]) == (LINE, LINE + 2, LINE + PRODUCT.count("\n"))


def test_all_is_the_whole_file(benchctl, compiled):
    source, module = compiled("-g")
    assert benchctl("source", "--all", module, "product").stdout == f"{source}:1\n{source.read_text()}"


@pytest.mark.parametrize("flags", [["-DEMBEDDED"], ["-DEMBEDDED", "-g"], ["-DEMBEDDED", "-s"]])
def test_a_module_that_carries_its_source_needs_no_file(benchctl, compiled, flags):
    source, module = compiled(*flags)
    source.unlink()
    shown = benchctl("source", module, "product")
    assert shown.stdout.splitlines()[0] == f"{source}:{LINE} (kept in the module)"
    assert shown.stdout.split("\n", 1)[1] == PRODUCT + "\n"
    assert benchctl.json("source", module, "product")["origin"] == "module"


def test_of_several_sources_the_text_is_that_of_the_benchmarks_own(benchctl, tmp_path):
    """The name stands in the same line of another, within a word and as one."""
    for name, line in ("first", 'BENCH(opening, .about = "of open")'), ("second", "BENCH(open)"):
        (tmp_path / f"{name}.c").write_text(f"#include <benchd/bench.h>\nBENCH_EMBED_SOURCE;\n{line} {{ bench_loop(b) bench_clobber(); }}\n")
    module = tmp_path / "both.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "first.c", "second.c", "-o", module], check=True, cwd=tmp_path)
    assert benchctl("source", module, "open").stdout.splitlines()[1].startswith("BENCH(open) ")
    assert benchctl("source", module, "opening").stdout.splitlines()[1].startswith("BENCH(opening,")


def test_without_debug_information_the_file_beside_the_module_is_found(benchctl, compiled):
    source, module = compiled("-s", relative=True)
    assert benchctl("source", module, "product").stdout == f"{source}:{LINE}\n{PRODUCT}\n"
    source.write_text("int other;\n" + source.read_text())
    assert "is not at hand" in benchctl("source", module, "product", expect=BENCHMARK).stderr


def test_a_file_that_changed_since_is_told(benchctl, compiled):
    source, module = compiled("-g")
    later = module.stat().st_mtime + 100
    os.utime(source, (later, later))
    shown = benchctl("source", module, "product")
    assert f"{source} is newer than {module}" in shown.stderr and PRODUCT in shown.stdout
    assert benchctl.json("source", module, "product")["changed"]


def test_a_source_that_is_gone_is_refused_with_what_to_do(benchctl, compiled):
    source, module = compiled("-g")
    source.unlink()
    refused = benchctl("source", module, "product", expect=BENCHMARK)
    assert refused.stdout == ""
    assert f"cannot be read" in refused.stderr and str(source) in refused.stderr
    assert "-g" in refused.stderr and "BENCH_EMBED_SOURCE" in refused.stderr


FOUND = {
    "split": ("gcc", ["-g", "-gsplit-dwarf"]), "split by clang": ("clang", ["-g", "-gsplit-dwarf"]), "split DWARF 4": ("gcc", ["-gdwarf-4", "-gsplit-dwarf"]),
    "LTO": ("gcc", ["-g", "-flto"]), "LTO and split": ("gcc", ["-g", "-flto", "-gsplit-dwarf"]), "least": ("gcc", ["-g1"]),
    "compressed": ("gcc", ["-g", "-Wl,--compress-debug-sections=zlib"]), "DWARF 2": ("gcc", ["-gdwarf-2", "-gstrict-dwarf"]),
}


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("form", FOUND)
def test_the_file_is_found_in_each_form_of_debug_information(benchctl, compiled, tmp_path, form, relative):
    """The module stands elsewhere, so that no file beside or directly above it is found by its name."""
    compiler, flags = FOUND[form]
    source, module = compiled(*flags, compiler=compiler, relative=relative)
    (tmp_path / "somewhere" / "else").mkdir(parents=True)
    module = module.rename(tmp_path / "somewhere" / "else" / "shown.so")
    refused = benchctl("source", module, "product", expect=BENCHMARK)
    assert refused.stdout == "" and f"{source} was not opened: {module} names it" in refused.stderr and f"--source-dir={tmp_path}\n" in refused.stderr
    assert benchctl("source", f"--source-dir={tmp_path}", module, "product").stdout == f"{source}:{LINE}\n{PRODUCT}\n"


def linked(module):
    subprocess.run(["objcopy", "--only-keep-debug", module, f"{module}.debug"], check=True)
    subprocess.run(["strip", module], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={module}.debug", module], check=True)


def packed(module):
    """Says of the compressed sections of @module that they are of zstd, which older tools cannot write."""
    data = bytearray(module.read_bytes())
    start, size, n = int.from_bytes(data[40:48], "little"), *(int.from_bytes(data[at:at + 2], "little") for at in (58, 60))
    for row in (start + i * size for i in range(n)):
        if int.from_bytes(data[row + 8:row + 16], "little") & 0x800:
            offset = int.from_bytes(data[row + 24:row + 32], "little")
            data[offset:offset + 4] = (2).to_bytes(4, "little")
    module.write_bytes(data)


@pytest.mark.parametrize("flags, change, cause", [
    (["-g", "-ffile-prefix-map={}=/nowhere"], None, "/nowhere/shown.c, which its debug information names, cannot be read"),
    ([], None, "has no debug information (compile it with -g)"),
    (["-g", "-s"], None, "was stripped of its debug information"),
    (["-g"], linked, "in a separate file (.gnu_debuglink)"),
    (["-g", "-Wl,--compress-debug-sections=zlib"], packed, "compressed otherwise than with zlib"),
], ids=["mapped", "without", "stripped", "linked", "zstd"])
def test_where_it_is_not_found_the_cause_is_told_and_the_directory_of_the_file_helps(benchctl, compiled, tmp_path, monkeypatch, flags, change, cause):
    source, module = compiled(*(flag.format(tmp_path) for flag in flags), relative=True)
    (tmp_path / "elsewhere").mkdir()
    module = module.rename(tmp_path / "elsewhere" / "shown.so")
    if change:
        change(module)
    refused = benchctl("source", module, "product", expect=BENCHMARK).stderr
    assert cause in refused and "BENCH_EMBED_SOURCE" in refused, refused
    monkeypatch.chdir(tmp_path)
    shown = benchctl("source", module, "product")
    assert shown.stdout.split("\n", 1)[1] == PRODUCT + "\n"


def test_an_earlier_jobs_module_tells_its_source(build, kept, compiled):
    source, module = compiled("-g")
    with kept(launch=["--no-probes"]) as daemon:
        benchctl = Benchctl(build, f"--socket={daemon.socket}")
        job = benchctl.json("run", *BRIEF, module, "--", "*/product")["run_id"]
        module.unlink()
        refused = benchctl("source", f"@{job}", "product", expect=BENCHMARK).stderr
        assert f"{source} was not opened" in refused and "the module's own directory" not in refused
        own = f"--source-dir={source.parent}"
        shown = benchctl("source", own, f"@{job}", "product")
        assert shown.stdout == f"{source}:{LINE}\n{PRODUCT}\n" and shown.stderr == ""
        later = source.stat().st_mtime + 10000
        os.utime(source, (later, later))
        assert f"{source} is newer than the job" in benchctl("source", own, f"@{job[:8]}", "product").stderr


def test_source_code_is_compiled_first(benchctl, compiled, tmp_path):
    source, module = compiled("-g")
    module.unlink()
    shown = benchctl("source", source, "product", XDG_CACHE_HOME=str(tmp_path / "cache"), CPATH=str(ROOT / "include"))
    assert shown.stdout == f"{source}:{LINE}\n{PRODUCT}\n"


def test_a_lone_benchmark_is_a_built_in_one(benchctl):
    shown = benchctl("source", "strings/strlen").stdout
    assert "strings.c:" in shown.splitlines()[0] and "BENCH(strlen" in shown and "BENCH_AREA" not in shown


def test_a_module_of_one_benchmark_needs_no_name_and_one_of_several_names_them(benchctl, compiled, modules):
    one = modules("BENCH(only) { bench_loop(b) bench_clobber(); }", "-g", name="one")
    assert "BENCH(only)" in benchctl("source", one).stdout
    refused = benchctl("source", compiled("-g")[1], expect=USAGE).stderr
    assert "has 3 benchmarks. Name one." in refused and "shown/product, shown/length, shown/counts_only" in refused


@pytest.mark.parametrize("word, meant", [("prodct", "product"), ("shown/prodct", "shown/product"), ("lenght", "length")])
def test_a_slip_in_a_name_is_answered_with_the_nearest(benchctl, compiled, word, meant):
    refused = benchctl("source", compiled("-g")[1], word, expect=USAGE).stderr
    assert f"no benchmark {word}" in refused and f"Did you mean {meant}?" in refused


def test_what_cannot_be_meant_is_refused(benchctl, compiled):
    _, module = compiled("-g")
    assert "takes a module and one of its benchmarks" in benchctl("source", expect=USAGE).stderr
    assert "takes a module and one of its benchmarks" in benchctl("source", module, "a", "b", expect=USAGE).stderr
    assert "is not a job" in benchctl("source", "@xyz", "a", expect=USAGE).stderr
    assert "No such file" in benchctl("source", "gone.so", "a", expect=USAGE).stderr


def test_no_control_character_of_a_source_reaches_the_terminal(benchctl, compiled):
    source, module = compiled("-g")
    text, stamp = source.read_text(), source.stat()
    source.write_text(text.replace("// } is no end", "// } \033[2J\tend"))
    os.utime(source, (stamp.st_atime, stamp.st_mtime))
    shown = benchctl("source", module, "product").stdout
    assert "\033" not in shown and "// } ?[2J\tend" in shown
    assert "\033[2J" in json.loads(benchctl("source", "--format=json", module, "product").stdout)["source"]


@pytest.mark.parametrize("verb", ["source", "disasm"])
def test_a_source_file_that_is_not_there_is_no_benchmark(benchctl, verb):
    assert "Cannot read absent.c: No such file" in benchctl(verb, "absent.c", expect=USAGE).stderr


@pytest.mark.parametrize("words", [["strings/"], [""], ["shown.so", ""], ["shown.so", "shown/"]])
def test_a_word_that_names_no_benchmark_is_refused(benchctl, words):
    assert f"'{words[-1]}' does not name a benchmark" in benchctl("source", *words, expect=USAGE).stderr


# ---- a module that names files of its user's

SECRET = "root:$6$secret:20000:0:99999:7:::\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A module's directory beside what it is not to reach."""
    for name in "module", "user/.ssh", "private":
        (tmp_path / name).mkdir(parents=True)
    for name in "user/.ssh/id_rsa", "private/shadow", "private/code.c", "module/.env":
        (tmp_path / name).write_text(SECRET * 9)
    os.mkfifo(tmp_path / "private/pipe")
    os.mkfifo(tmp_path / "module/pipe")
    (tmp_path / "module/link.c").symlink_to(tmp_path / "private/shadow")
    (tmp_path / "module/way").symlink_to(tmp_path / "private")
    monkeypatch.chdir(tmp_path / "user")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return tmp_path


def naming(path, directory, name="evil", debug=True):
    """A module whose debug information, and whose record of its file, name another path."""
    source = directory / f"{name}.c"
    source.write_text(f'#include <benchd/bench.h>\n#line 2 "{path}"\nBENCH(secret) {{ bench_loop(b) bench_clobber(); }}\n')
    module = directory / f"{name}.so"
    subprocess.run(["gcc", "-O2", *(["-g"] if debug else []), "-shared", "-fPIC", f"-I{ROOT / 'include'}", source, "-o", module], check=True)
    source.unlink()
    return module


OUTSIDE = {
    "a key": "{0}/user/.ssh/id_rsa", "shadow": "{0}/private/shadow", "code": "{0}/private/code.c", "dots": "{0}/module/../private/shadow",
    "a link": "{0}/module/link.c", "a linked directory": "{0}/module/way/shadow", "a pipe": "{0}/private/pipe", "hidden": "{0}/module/.env",
    "the system's": "/etc/passwd", "relative": "../private/shadow", "relative and hidden": ".ssh/id_rsa",
}
NOT_READ = {"a terminal": "/dev/tty", "a device": "/dev/zero", "environment": "/proc/self/environ", "descriptor": "/proc/self/fd/0", "its pipe": "{0}/module/pipe",
            "memory": "/proc/self/mem", "a kernel's": "/sys/kernel/notes"}


@pytest.mark.parametrize("verb", ["source", "disasm"])
@pytest.mark.parametrize("debug", [True, False], ids=["debug", "record"])
@pytest.mark.parametrize("named", [*OUTSIDE, *NOT_READ])
def test_a_module_leads_to_no_file_that_its_user_did_not_name(benchctl, place, named, debug, verb):
    path = (OUTSIDE | NOT_READ)[named].format(place)
    module = naming(path, place / "module", debug=debug)
    done = subprocess.run(benchctl.command(verb, module, "secret"), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    everything = done.stdout + done.stderr
    assert "$6$" not in everything and "daemon:x:" not in everything and "HOME=" not in everything
    if verb == "source":
        assert done.returncode == BENCHMARK and done.stdout == ""
    if debug and named in OUTSIDE and path.startswith("/"):
        assert f"{path} was not opened: {module} names it in its debug information" in done.stderr
        assert f"--source-dir={path.rpartition('/')[0]}\n" in done.stderr
    with pytest.raises(OSError):  # nobody reads from the pipes, nor did
        os.open(place / "private/pipe", os.O_WRONLY | os.O_NONBLOCK)


def test_who_names_the_directory_sees_the_file(benchctl, place):
    module = naming(place / "private/code.c", place / "module")
    assert SECRET.strip() in benchctl("source", "--all", "--source-dir", place / "private", module, "secret").stdout
    assert SECRET.strip() in benchctl("source", "--all", "--source-dir", place / "user", "--source-dir", place, module, "secret").stdout
    assert "was not opened" in benchctl("source", "--source-dir", place / "user", module, "secret", expect=BENCHMARK).stderr
    assert "No such file" in benchctl("source", "--source-dir=nowhere", module, "secret", expect=USAGE).stderr
    assert "is not a directory" in benchctl("source", f"--source-dir={module}", module, "secret", expect=USAGE).stderr


def test_a_work_tree_is_one_place_but_for_what_is_hidden_and_if_it_is_no_home(benchctl, place):
    source = place / "module/src/shown.c"
    source.parent.mkdir()
    shutil.copy(SHOWN, source)
    (place / "module/build").mkdir()
    module = place / "module/build/shown.so"
    subprocess.run(["gcc", "-O2", "-g", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "../src/shown.c", "-o", module], check=True, cwd=module.parent)
    assert "was not opened" in benchctl("source", module, "product", expect=BENCHMARK).stderr
    (place / "module/.git").mkdir()
    assert PRODUCT in benchctl("source", module, "product").stdout
    assert "was not opened" in benchctl("source", module, "product", expect=BENCHMARK, HOME=str(place / "module")).stderr
    assert "was not opened" in benchctl("source", naming(place / "module/.env", module.parent), "secret", expect=BENCHMARK).stderr


def test_only_verbs_that_read_sources_take_a_directory_of_them(benchctl, place):
    assert "--source-dir is not an option of 'run' (only of source, disasm)" in benchctl("run", "--source-dir=.", "x.so", expect=USAGE).stderr
