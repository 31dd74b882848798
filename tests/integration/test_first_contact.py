# SPDX-License-Identifier: GPL-3.0-or-later
"""First contact: what a new user types wrongly, what benchctl answers, and how it behaves in scripts.

Reads like a table: typed -> words, exit code. A hint that is a command is typed in turn, and must work."""

import json
import os
import re
import shutil
import subprocess
from datetime import date, timedelta

import pytest

from support.benchctl import ANY, BENCHMARK, BRIEF, DAEMON, DONE, MACHINE, TIMEOUT_S, USAGE, Benchctl

TOUCHES = "suggestion hint settings* complain target here-hint near-file shown-rows row-filter"


DONE, SLOWER, USAGE, BENCHMARK, DAEMON, MACHINE, UNFIT, UNRESOLVED = range(8)


@pytest.fixture
def typed(typed):
    """Whatever it exits with."""
    typed.expect = ANY
    return typed


def assert_said(done, code, *words):
    assert done.returncode == code, f"{done.returncode}: {done.stdout}{done.stderr}"
    assert done.stdout == ""
    assert done.stderr.startswith("benchctl: ")
    for word in words:
        assert word in done.stderr, done.stderr


@pytest.fixture
def follow(build, tmp_path):
    """Types the command that a hint ends with, as it stands, in a shell."""
    def run(done, lead):
        command = re.search(re.escape(lead) + "(.*)", done.stderr)[1]
        return subprocess.run(command, shell=True, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=tmp_path,
                              env={**os.environ, "PATH": f"{build / 'client/ctl'}:{os.environ['PATH']}"})
    return run


STRLEN = """
BENCH(strlen_1000, .area = "text") { bench_loop(b) bench_clobber(); }
BENCH(strlen_10, .area = "text") { bench_loop(b) bench_clobber(); }
BENCH(hash, .area = "lib") { bench_loop(b) bench_clobber(); }
"""


@pytest.fixture
def a_so(modules, tmp_path):
    """A module named a.so in the directory where things are typed."""
    (tmp_path / "a.so").symlink_to(modules(STRLEN))
    return "a.so"


# ---- verbs and options

@pytest.mark.parametrize("words, code, said", [
    ([], USAGE, ["no command was given", "benchctl run  ", "benchctl run mybench.c", "benchctl list  ", "benchctl compare old.c new.c"]),
    (["rnu", "a.so"], USAGE, ["unknown command 'rnu'", "Did you mean: benchctl run?"]),
    (["a.so"], USAGE, ["unknown command 'a.so'", "Did you mean: benchctl run a.so?"]),
    (["doctor"], USAGE, ["unknown command 'doctor'"]),
    (["s"], USAGE, ["command 's' is ambiguous: source, show, status, set-governor"]),
    (["run", "--privaet", "a.so"], USAGE, ["unknown option '--privaet'", "Did you mean --private?"]),
    (["run", "--precison=1%", "a.so"], USAGE, ["unknown option '--precison'", "Did you mean --precision?"]),
    (["run", "--pre=1", "a.so"], USAGE, ["option '--pre' is ambiguous: --prepare, --precision, --preload"]),
    (["help", "rnu"], USAGE, ["unknown command 'rnu'"]),
    (["run", "a.so", "--", "hash", "--quick"], USAGE, ["'--quick' stands behind '--'", "Options stand before '--'"]),
    (["compare", "a.so#hash", "#hash"], USAGE, ["'#hash' names a benchmark and no module", "both.c#new"]),
    (["run", "a.so", "-o", "x.jpeg"], USAGE, ["has the suffix of no format", "--format=table"]),
    (["compare", "a.so", "a.so", "--", "-o", "x"], USAGE, ["'-o' stands behind '--'"]),
    (["run", "-quick", "a.so"], USAGE, ["'-quick' is a word after one dash", "Did you mean --quick?"]),
    (["run", "-format=json", "a.so"], USAGE, ["'-format=json' is a word after one dash", "Did you mean --format=json?"]),
])
def test_a_slip_is_answered_with_what_was_meant(typed, words, code, said):
    assert_said(typed(*words), code, *said)


SWEEP = """
BENCH(fill, .args = BENCH_ARGS(n, 8, 64)) { bench_loop(b) bench_clobber(); }
BENCH(move, .args = BENCH_ARGS(n, 8, 64)) { bench_loop(b) bench_clobber(); }
"""


@pytest.mark.parametrize("filters, rows, unmatched", [
    (["n=8"], ["fill n=8", "move n=8"], None),
    (["fill", "!n=8"], ["fill n=64"], None),
    (["fill/n=8", "mvoe", "n=9"], ["fill n=8"], "mvoe, n=9"),
    (["fill/n=8", "!mvoe"], ["fill n=8"], "!mvoe"),
])
def test_a_filter_beside_others_that_matches_nothing_is_named(build, modules, filters, rows, unmatched):
    result = Benchctl(build, "--private").json("run", *BRIEF, modules(SWEEP), "--", *filters)
    assert [f"{row['name']} n={row['args']['n']}" for row in result["benchmarks"]] == rows
    told = [warning for warning in result["warnings"] if "mistyped" in warning]
    assert told == ([f"no benchmark matches {unmatched}: look for a mistyped name"] if unmatched else [])


def test_filters_choose_rows_of_an_earlier_result_too(typed, a_so, tmp_path):
    typed("run", "--private", *BRIEF, a_so, "-o", "x.json")

    def names(*filters):
        done = typed("show", "x.json", "--format=json", "--", *filters)
        return [row["name"] for row in json.loads(done.stdout)["benchmarks"]], done.stderr

    assert names("strlen*") == (["strlen_1000", "strlen_10"], "")
    assert names("!lib/hash") == (["strlen_1000", "strlen_10"], "")
    assert names("hash", "hsah") == (["hash"], "benchctl: No benchmark of the result matches hsah: look for a mistyped name.\n")
    assert_said(typed("show", "x.json", "--", "hsah"), USAGE, "No benchmark of the result matches hsah.")
    assert typed("show", "--private", "--", "hash").stdout.count("strlen") == 0
    assert_said(typed("show", "x.json", "--quick"), USAGE, "--quick is not an option of 'show'")


def test_a_third_module_is_no_filter(typed, a_so):
    assert_said(typed("compare", "--private", a_so, a_so, a_so), USAGE, "'compare' takes two modules, and a.so is a third",
                "old.c,impl.c new.c,impl.c")


def test_a_filter_that_matches_nothing_is_named_in_a_list_too(typed, a_so):
    assert "warning: no benchmark matches hsah: look for a mistyped name" in typed("list", "--private", a_so, "--", "hash", "hsah").stdout
    assert "warning" not in typed("list", "--private", a_so, "--", "hash").stdout


@pytest.mark.parametrize("words, as_words", [
    (["help"], ["--help"]),
    (["help", "run"], ["run", "--help"]),
    (["hel", "compare"], ["compare", "-h"]),
    (["version"], ["--version"]),
])
def test_help_and_version_are_words_too(typed, words, as_words):
    done = typed(*words)

    assert (done.returncode, done.stderr) == (DONE, "")
    assert done.stdout == typed(*as_words).stdout != ""


# ---- three commands from nothing to a picture

@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is missing")
def test_old_against_new_comes_to_a_picture_in_three_commands_and_to_a_page_in_a_fourth(typed, tmp_path):
    """As README has them, and at full length: the time is that of the processors."""
    begin = sum(os.times()[:4])
    assert typed("new", "old.c").returncode == DONE
    (tmp_path / "new.c").write_text((tmp_path / "old.c").read_text())
    for words, file, beginning, said in [(["compare", "--private", "old.c", "new.c"], "diff.svg", "<?xml", ["old", "new"]),
                                         (["show", "--private"], "diff.html", "<!doctype html>", ["old.c", "new.c", "95 %"])]:
        done = typed(*words, "-o", file)
        text = (tmp_path / file).read_text()
        assert done.returncode == DONE and done.stdout == "", done.stderr
        assert text.lower().startswith(beginning) and all(word in text for word in said)
        assert 1 < sum(os.times()[:4]) - begin < 30


# ---- paths

def test_modules_go_by_their_paths_as_typed(typed, a_so, tmp_path, daemon):
    (tmp_path / "old").mkdir()
    (tmp_path / "old/a.so").symlink_to(tmp_path / "a.so")
    environment = {"BENCHD_SOCKET": str(daemon.socket)}

    assert "# ./a.so against old/a.so: 4 processes" in typed("compare", "--processes=4", *BRIEF[1:], "old/a.so", "./a.so", "hash",
                                                           **environment).stdout
    assert_said(typed("list", "/etc/passwd", **environment), BENCHMARK, "/etc/passwd: It is not a compiled module")
    for words in ["./a.so"], ["a.so"], ["--module=./a.*"], ["--module=a.*"]:
        assert "./a.so" in typed("history", *words, **environment).stdout


# ---- files

@pytest.mark.parametrize("words, said", [
    (["run", "nosuch.so"], ["Cannot read nosuch.so: No such file or directory."]),
    (["run", "strlen_1000"], ["'strlen_1000' is neither a file nor an area", "Areas: ", "calls, ", "by its name: benchctl run -- strlen_1000"]),
    (["list", "strngs"], ["'strngs' is neither a file nor an area", "Did you mean: benchctl list strings?\n"]),
    (["run", "nosuch.c"], ["Cannot read nosuch.c: No such file"]),
    (["run", "txet.c"], ["Cannot read txet.c: No such file", "Did you mean text.c?"]),
    (["run", "text"], ["'text' is neither a file nor an area", "Did you mean: benchctl run text.c?"]),
    (["run", "text.c", "text/strlen"], ["Cannot read text/strlen: No such file", "benchctl run text.c -- text/strlen"]),
    (["run", "text.c", "text.c"], ["text.c is named twice for one module", "--separate"]),
    (["run", "earlier.json"], ["earlier.json is named as a result, not as a module", "'benchctl show earlier.json'"]),
    (["show", "empty.json"], ["empty.json is empty, not a result"]),
    (["compare", "text.c", "nosuch.c#a/b"], ["Name a benchmark"]),
    (["compare", "text.c", "nosuch.c"], ["Cannot read nosuch.c: No such file"]),
    (["run", "fifo.c"], ["fifo.c is not a regular file."]),
    (["run", "/dev/null"], ["/dev/null is not a regular file."]),
    (["run", "."], [". is not a regular file."]),
    (["compare", "fifo.c", "fifo"], ["fifo.c is not a regular file."]),
    (["debug", "-", "strlen"], ["'-', standard input, is taken for a module by run"]),
    (["debug", "fifo", "strlen"], ["fifo is not a regular file."]),
])
def test_a_file_that_is_no_module_is_named_before_a_daemon_is_asked(typed, tmp_path, words, said):
    (tmp_path / "text.c").write_text("this is never compiled\n")
    (tmp_path / "empty.json").write_text("")
    os.mkfifo(tmp_path / "fifo")
    os.mkfifo(tmp_path / "fifo.c")
    assert_said(typed(*words), USAGE, *said)


def test_a_filter_in_the_place_of_a_file_is_put_where_it_belongs(typed, follow, a_so):
    done = typed("list", "--private", a_so, "strlen_1000")
    assert_said(done, USAGE, "'strlen_1000' is neither a file nor an area", "benchctl list --private a.so -- strlen_1000\n")

    followed = follow(done, "To choose benchmarks: ")
    assert followed.returncode == DONE
    assert "strlen_1000" in followed.stdout and "hash" not in followed.stdout


# ---- no daemon

@pytest.mark.parametrize("words, command", [
    (["run", "a.so", *BRIEF], "benchctl run --private a.so " + " ".join(BRIEF)),
    (["--socket=./s", "list", "a.so", "--", "*len*"], "benchctl list --private a.so -- '*len*'"),
    (["compare", "--socket", "./s", "a.so", "a.so", *BRIEF], "benchctl compare --private a.so a.so " + " ".join(BRIEF)),
    (["status"], "benchctl status --private"),
])
def test_without_a_daemon_the_command_that_needs_none_is_named_and_works(typed, follow, a_so, words, command):
    done = typed(*words)
    assert_said(done, DAEMON, "Cannot reach the daemon", "systemctl start benchd", f"do without it: {command}\n")
    assert follow(done, "do without it: ").returncode == DONE


@pytest.mark.parametrize("words", [["set-governor", "performance"], ["cancel", "1234"],
                                   ["run", "--detach", "a.so"], ["compare", "@1234", "a.so"]])
def test_nothing_is_named_that_a_daemon_of_its_own_cannot_do(typed, a_so, words):
    done = typed(*words)
    assert_said(done, DAEMON, "Start it with 'systemctl start benchd'.\n")
    assert "--private" not in done.stderr


@pytest.mark.parametrize("words", [["history"], ["show"], ["show", "1234"]])
def test_without_a_daemon_private_runs_are_pointed_to(typed, follow, words):
    done = typed(*words)
    assert_said(done, DAEMON, "systemctl start benchd", "To list private runs, which need none: benchctl history --private\n")
    assert follow(done, "which need none: ").returncode == DONE


def test_the_environment_names_the_socket_and_options_win_over_it(typed, a_so, daemon):
    environment = {"BENCHD_SOCKET": str(daemon.socket)}

    assert typed("list", a_so, **environment).returncode == DONE
    assert_said(typed("status", "--socket=./s", **environment), DAEMON, "./s")
    assert typed("status", f"--socket={daemon.socket}").returncode == DONE
    assert typed("status", "--private").returncode == DONE
    assert_said(typed("status"), DAEMON, "no-daemon.sock")


# ---- names of benchmarks

@pytest.mark.parametrize("verb", ["run", "list"])
@pytest.mark.parametrize("filters, near", [
    (["STRLEN*"], "Similar names: text/strlen_1000, text/strlen_10\n"),
    (["strln"], "Similar names: text/strlen_1000, text/strlen_10\n"),
    (["strlen_1000/*"], "Similar names: text/strlen_1000, text/strlen_10\n"),
    (["lib/hsah", "qsort"], "Similar names: lib/hash\n"),
    (["nosuch"], "'benchctl list --private a.so' shows the benchmarks"),
])
def test_a_filter_that_matches_nothing_is_answered_with_names_that_do(typed, a_so, verb, filters, near):
    done = typed(verb, "--private", a_so, "--", *filters)
    assert_said(done, USAGE, f"No benchmark of a.so matches {' '.join(filters)}.", near)
    for name in re.findall(r"[a-z]+/\w+", near):
        assert typed("list", "--private", a_so, "--", name).returncode == DONE


@pytest.mark.parametrize("sides, said", [
    (["a.so#hsah", "a.so#hash"], ["a.so has no benchmark named 'hsah'.", "Similar names: #lib/hash\n"]),
    (["a.so#hash", "a.so#text/strln"], ["a.so has no benchmark named 'text/strln'.", "#text/strlen_1000, #text/strlen_10\n"]),
    (["a.so#hash", "a.so#nosuch"], ["a.so has no benchmark named 'nosuch'.", "#AREA/BENCHMARK"]),
])
def test_the_one_benchmark_of_a_comparison_is_named_with_its_like(typed, a_so, sides, said):
    assert_said(typed("compare", "--private", *sides), USAGE, *said)


def test_the_one_benchmark_of_a_comparison_needs_no_area(typed, a_so):
    assert typed("compare", "--private", *BRIEF, "a.so#hash", "a.so#strlen_10").returncode == DONE


# ---- files that are not modules, or not for this machine

def test_what_is_not_a_module_is_said_once(typed, modules, tmp_path):
    (tmp_path / "text.so").write_text("no module\n")
    (tmp_path / "empty.so").write_text("")
    (tmp_path / "arm.so").write_bytes(modules(STRLEN).read_bytes()[:18] + (183).to_bytes(2, "little") + bytes(4096))
    (tmp_path / "none.so").symlink_to(modules("int nothing;"))
    (tmp_path / "hides.map").write_text("{ local: *; };\n")
    (tmp_path / "hides.so").symlink_to(modules(STRLEN, f"-Wl,--version-script={tmp_path / 'hides.map'}"))
    for name, words in [
        ("text.so", "text.so: It is not a compiled module (not an ELF file).\n"),
        ("empty.so", "empty.so is empty, not a compiled module.\n"),
        ("arm.so", "arm.so: It is compiled for another architecture than x86-64: aarch64\n"),
        ("none.so", "none.so: It holds no benchmark: write one with BENCH() of benchd/bench.h.\n"),
        ("hides.so", "hides.so: It holds benchmarks but does not export benchd_module: add 'global: benchd_module;' to its version "
                     "script.\n"),
    ]:
        assert_said(typed("list", "--private", name), BENCHMARK, words)


# ---- scripts

@pytest.mark.parametrize("words, said", [
    (["compare", "--fail-on", "a.so", "b.so"], ["--fail-on needs a value: --fail-on=slower.\n"]),
    (["compare", "a.so", "b.so", "--fail-on"], ["--fail-on needs a value: --fail-on=slower.\n"]),
    (["compare", "--fail-on=slower,faster", "a.so", "b.so"], ["--fail-on takes slower, unresolved and unfit, not 'slower,faster'"]),
    (["run", "--fail-on=slower", "a.so"], ["--fail-on takes unfit and time>5ms, not 'slower'"]),
    (["run", "-o", "--quick", "a.so"], ["--output needs a value: --output=FILE"]),
    (["list", "-o", "x.gp", "a.so"], ["--output=x.gp asks for gnuplot, which a list of benchmarks does not have; its formats are table, details, json,"]),
    (["run", "-o", "x.html", "--format=json", "a.so"], ["--output=x.html asks for html"]),
    (["run", "-o", "x.json", "--format=table", "a.so"], ["--output=x.json asks for json, and --format for table", "Omit --format"]),
])
def test_what_a_script_asks_for_and_cannot_have_is_refused_at_once(typed, tmp_path, words, said):
    assert_said(typed(*words), USAGE, *said)
    assert list(tmp_path.glob("x.*")) == []


def test_a_limit_of_time_has_an_exit_code(typed, a_so):
    words = ["run", "--private", *BRIEF, a_so]
    over = typed(*words, "--fail-on=time(strlen_10)>0.001ps")
    assert over.returncode == 8 and over.stderr.endswith("benchctl: text/strlen_10 takes longer than 0.001000 ps (--fail-on).\n")
    assert typed(*words, "--fail-on=time(hash)>0.001ps,time>1000s", "--", "strlen_10").returncode == DONE
    assert_said(typed(*words, "--fail-on=time>5"), USAGE, "--fail-on takes a limit as time>5ms")


def test_a_finding_has_an_exit_code_if_it_is_asked_for(typed, a_so):
    # two processes give no interval, so no verdict, on any machine
    few = ["compare", "--private", "--processes=2", *BRIEF[1:], "a.so", "a.so", "hash"]

    assert typed(*few).returncode == DONE
    assert typed(*few, "--fail-on=slower").returncode == DONE
    assert typed(*few, "--fail-on=slower,unresolved").returncode == UNRESOLVED
    done = typed("run", "--private", "--fail-on=unfit", "--format=json", *BRIEF, a_so, "--", "hash")
    assert done.returncode == {"fit": DONE, "cannot-tell": DONE, "unfit": UNFIT}[json.loads(done.stdout)["verdict"]]


@pytest.mark.parametrize("name, is_json", [("x.json", True), ("x.JSON", True), ("x.txt", False), ("x", False)])
def test_the_suffix_of_a_file_chooses_its_format(typed, a_so, tmp_path, name, is_json):
    assert typed("list", "--private", "-o", name, a_so).returncode == DONE
    text = (tmp_path / name).read_text()
    assert text.startswith("{") == is_json
    assert not is_json or len(json.loads(text)["benchmarks"]) == 3


def test_json_of_several_modules_is_one_document(typed, a_so, tmp_path):
    (tmp_path / "text.so").write_text("no module\n")
    run = ["run", "--private", "--format=json", *BRIEF]

    one = json.loads(typed(*run, a_so, "--", "hash").stdout)
    assert one["module"]["name"] == "a.so"
    two = json.loads(typed(*run, a_so, "./a.so", "--", "hash").stdout)
    assert [result["module"]["name"] for result in two] == ["a.so", "./a.so"]
    cut = typed(*run, a_so, "text.so", "--", "hash")
    assert cut.returncode == BENCHMARK
    assert [result["module"]["name"] for result in json.loads(cut.stdout)] == ["a.so"]
    assert typed(*run, "text.so", "text.so").stdout == ""
    typed("list", "--private", "-o", "x.json", a_so, a_so)
    assert [len(listing["benchmarks"]) for listing in json.loads((tmp_path / "x.json").read_text())] == [3, 3]


@pytest.mark.parametrize("words", [["help"], ["version"], ["run", "--help"], ["status", "--private"], ["list", "--private", "a.so"],
                                   ["list", "--private", "a.so", "a.so", "--format=json"],
                                   ["history", "--private"], ["compare", "--private", *BRIEF, "a.so", "a.so", "hash"],
                                   ["run", "--private", *BRIEF, "a.so", "--", "hash"]])
def test_a_pipe_that_closes_is_no_error_and_a_closed_stdout_is_named(build, typed, a_so, tmp_path, words):
    reader, writer = os.pipe()
    os.close(reader)
    benchctl = Benchctl(build, cwd=tmp_path)
    assert benchctl(*words, before=["bash", "-c", f'"$@" >&{writer}', "bash"], pass_fds=[writer]).stderr == ""
    os.close(writer)

    said = benchctl(*words, before=["sh", "-c", '"$@" >&-', "sh"], expect=USAGE).stderr
    assert said == "benchctl: Cannot write the result: standard output is closed.\n"


# ---- earlier results

def job_of(done):
    return re.search(r"Job ([0-9a-f]{8})\.$", done.stdout.strip())[1]


def test_private_results_are_shown_again(typed, a_so, tmp_path):
    run = ["run", "--private", *BRIEF, a_so, "--"]
    assert_said(typed("show", "--private"), USAGE, "no private runs yet")
    assert typed("history", "--private").stdout == "No jobs.\n"
    first, second = typed(*run, "hash"), typed(*run, "strlen_10")

    for words in ["show", job_of(first)], ["show", "--private", "@" + job_of(first)]:
        shown = typed(*words)
        assert (shown.returncode, shown.stdout) == (DONE, first.stdout)
    assert typed("show", "--private").stdout == second.stdout
    assert json.loads(typed("show", job_of(second), "--format=json").stdout)["run_id"].startswith(job_of(second))
    lines = typed("history", "--private").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["job", job_of(second), job_of(first)]
    latest = typed("history", "--private", "--limit=1").stdout.splitlines()  # as wide as its own rows
    assert [line.split() for line in latest] == [line.split() for line in lines[:2]]
    assert typed("history", "--private", "--module=b*").stdout == "No jobs.\n"
    assert typed("history", "--private", f"--since={date.today() + timedelta(days=2)}").stdout == "No jobs.\n"
    assert_said(typed("show", "--private", "00000000"), USAGE, "No private run has the id 00000000")
    assert (tmp_path / "state/benchd/results").stat().st_mode & 0o777 == 0o700


def test_private_results_that_cannot_be_kept_have_no_id(typed, a_so, tmp_path):
    for name in "elsewhere", "linked", "strange":
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / "linked/benchd").symlink_to(tmp_path / "elsewhere")
    if os.geteuid() == 0:
        os.chown(tmp_path / "strange", 4321, 4321)
        (tmp_path / "strange").chmod(0o777)
    else:
        (tmp_path / "strange").chmod(0)
    for state in "/proc/nothing", "/dev/null", tmp_path / "linked", tmp_path / "strange":
        state = str(state)
        environment = {"XDG_STATE_HOME": state}
        done = typed("run", "--private", *BRIEF, a_so, "--", "hash", **environment)
        assert done.returncode == DONE and "Job" not in done.stdout
        done = typed("run", "--private", "--format=json", *BRIEF, a_so, "--", "hash", **environment)
        assert json.loads(done.stdout)["run_id"] is None
    (tmp_path / "strange").chmod(0o700)
    assert list((tmp_path / "elsewhere").iterdir()) == list((tmp_path / "strange").iterdir()) == []


def test_private_results_stand_below_the_home_of_its_owner_alone(typed, a_so, tmp_path):
    run = ["run", "--private", *BRIEF, a_so, "--", "hash"]
    (tmp_path / "home").mkdir()
    home = {"XDG_STATE_HOME": "", "HOME": str(tmp_path / "home")}
    done = typed(*run, **home)
    job = json.loads(typed("show", "--private", "--format=json", **home).stdout)["run_id"]
    assert (tmp_path / f"home/.local/state/benchd/results/{job}.json").exists()
    assert typed("show", job_of(done), **home).stdout == done.stdout
    if os.geteuid() != 0:
        pytest.skip("needs root, for a home of somebody else's")
    (tmp_path / "other").mkdir()
    os.chown(tmp_path / "other", 4321, 4321)
    assert "Job" not in typed(*run, **home | {"HOME": str(tmp_path / "other")}).stdout
    assert list((tmp_path / "other").iterdir()) == []


def test_private_results_make_room_the_oldest_first(typed, a_so, tmp_path):
    results = tmp_path / "state/benchd/results"
    run = ["run", "--private", *BRIEF, a_so, "--", "hash"]
    typed(*run)
    kept, = results.iterdir()
    (results / "notes").write_text("not a result\n")
    os.utime(results / "notes", (1, 1))
    for i in range(1, 300):  # older and older; one of them half-written
        old = results / (f".{i:032x}.json.draft" if i == 150 else f"{i:032x}.json")
        old.write_text("{}")
        os.utime(old, (1000000 - i, 1000000 - i))
    typed(*run)
    left = sorted(results.iterdir(), key=lambda path: path.stat().st_mtime)

    assert len(left) == 201 and kept in left
    assert [path.name for path in left[:2]] == ["notes", f"{198:032x}.json"]


def test_private_runs_at_the_same_time_are_both_kept(build, typed, a_so, tmp_path):
    run = typed.command("run", "--private", *BRIEF, a_so, "--", "hash")
    both = [subprocess.Popen(run, cwd=tmp_path, env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
                             stdout=subprocess.DEVNULL) for _ in range(2)]

    assert [process.wait(timeout=TIMEOUT_S) for process in both] == [DONE, DONE]
    assert len(typed("history", "--private").stdout.splitlines()) == 3


def test_the_latest_job_needs_no_id(typed, a_so, daemon):
    environment = {"BENCHD_SOCKET": str(daemon.socket)}
    for verb in "show", "wait":
        assert_said(typed(verb, **environment), USAGE, "There are no jobs yet.")
    done = [typed("run", *BRIEF, a_so, "--", name, **environment) for name in ["hash", "strlen_10"]]

    for verb in "show", "wait":
        assert typed(verb, **environment).stdout == done[1].stdout
    assert_said(typed("cancel", **environment), USAGE, "'cancel' takes one job")


@pytest.mark.parametrize("where", ["daemon", "private"])
def test_the_times_of_a_benchmark_stand_one_run_a_line(request, typed, a_so, where):
    environment, words = {}, ["--private"]
    if where == "daemon":
        environment, words = {"BENCHD_SOCKET": str(request.getfixturevalue("daemon").socket)}, []
    for _ in range(2):
        assert typed("run", *words, *BRIEF, a_so, **environment).returncode == DONE
    entries = json.loads(typed("history", *words, "--format=json", **environment).stdout)["entries"]

    lines = typed("history", *words, "lib/hash", **environment).stdout.splitlines()
    assert re.fullmatch(r"  job +started +time( +95 % interval)?( +change)? +module( +note)?", lines[0])
    assert lines[1] == "lib/hash"
    runs = [line for line in lines[2:] if re.match("  [0-9a-f]{8}  ", line)]  # beside the notes that stand below the rows
    for line, entry in zip(runs, entries, strict=True):  # without an interval where too few processes were alone
        assert re.fullmatch(rf"  {entry['run_id'][:8]}  \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d +[\d.,]+ [pnµm]?s( +[\d.,]+ … [\d.,]+ [pnµm]?s)?"
                            r"( +(slower|faster))? +a\.so( +(not reliable|while shared|traced|unwatched|other conditions))?", line), line

    found = json.loads(typed("history", *words, "strlen*", "--format=json", **environment).stdout)["benchmarks"]
    assert {row["name"]: [run["run_id"] for run in row["runs"]] for row in found} == {
        name: [entry["run_id"] for entry in entries] for name in ["strlen_1000", "strlen_10"]}
    assert found[0]["runs"][1]["change"] is None  # there is none before it
    assert_said(typed("history", *words, "nosuch", **environment), USAGE, "No benchmark of these runs matches nosuch.")
    assert_said(typed("history", *words, "a", "b", **environment), USAGE, "one filter", "--module=GLOB")


# ---- screens

WORDY = """
#include <stdlib.h>
BENCH(titled, .title = "a title that says at length what this benchmark is there to measure", .about = "and a text about it that "
      "goes on for longer than any terminal of this test is wide") { bench_loop(b) bench_clobber(); }
BENCH(a_name_that_goes_on_and_on_until_a_terminal_is_too_narrow, .args = BENCH_ARGS(quantity, 1000000, 2000000)) {
        bench_loop(b) bench_clobber();
}
BENCH(timed) { bench_loop(b) bench_manual_ns(b, 123.0); }
BENCH(counts, .args = BENCH_TEXTS(word, "one", "two")) { bench_counter(b, "hits", 5); bench_loop(b) bench_clobber(); }
BENCH(skips) { bench_skip(b, "no such hardware here"); }
BENCH(aborts) { abort(); }
"""


@pytest.mark.parametrize("columns", [44, 80, 100, 160])
def test_no_screen_is_wider_than_the_terminal(typed, on_a_terminal, modules, tmp_path, columns):
    (tmp_path / "wordy.so").symlink_to(modules(WORDY))
    (tmp_path / "other.so").symlink_to(tmp_path / "wordy.so")
    typed("run", "--private", *BRIEF, "wordy.so")
    (job,) = json.loads(typed("history", "--private", "--format=json").stdout)["entries"]
    typed("compare", "--private", "--processes=4", *BRIEF[1:], "wordy.so", "other.so")

    for words in (["show", job["run_id"]], ["show", "--private"], ["history", "--private"], ["history", "--private", "count*"],
                  ["history", "--private", "a_name*"], ["list", "--private", "wordy.so"], ["status", "--private"]):
        for locale in {}, {"LC_ALL": "C"}:
            lines = on_a_terminal(columns, *words, **locale)
            printed = [line for line in lines if not line.lstrip().startswith("| ")]  # the module's own output stays as it was
            assert len(lines) > 2 and max(map(len, printed)) <= columns, "\n".join(lines)
            assert not locale or "\n".join(printed).isascii()


def test_descriptions_stand_below_the_names_where_there_is_no_room_beside(typed, on_a_terminal, modules, tmp_path):
    module = modules("""
BENCH(a_name_of_some_length, .args = BENCH_ARGS(n, 1, 2, 3), .about = "a description that is somewhat longer than the room that "
      "is left beside the names and the arguments") { bench_loop(b) bench_clobber(); }
BENCH(short) { bench_loop(b) bench_clobber(); }
""")
    lines = on_a_terminal(80, "list", "--private", module)
    assert lines[1:] == ["  a_name_of_some_length   n=1,2,3",
                         "      a description that is somewhat longer than the room that is left beside",
                         "      the names and the arguments",
                         "  short"]
    assert "n=1,2,3   a description" in on_a_terminal(160, "list", "--private", module)[1]


def test_a_long_name_gives_way_before_the_figures_do(typed, on_a_terminal, modules, tmp_path):
    (tmp_path / "wordy.so").symlink_to(modules(WORDY))
    result = json.loads(typed("run", "--private", *BRIEF, "--format=json", "wordy.so", "--", "a_name*").stdout)
    for row in result["benchmarks"]:  # as a machine at rest has them
        row["time_ns"] |= dict(point=0.61, low=0.605, high=0.615)
        row["cycles"] |= dict(source="ruler", point=2.0, low=1.99, high=2.01)
        row["disturbed"] |= dict(quiet=0.97, unfit=False)
        row["warnings"], row["findings"] = [], []
    (tmp_path / "wordy.json").write_text(json.dumps(result))
    text = "\n".join(on_a_terminal(80, "show", tmp_path / "wordy.json"))

    assert "cycles" in text and "quiet" in text
    assert re.search(r"  a_name_\w*….*=1000000 +[\d.]+ [pnµm]?s ", text)


def test_a_pair_that_failed_or_was_skipped_says_why_in_its_row(typed, modules, tmp_path):
    source = """#include <assert.h>
    BENCH(breaks, .area = "a") { bench_loop(b) assert(SIDE == 1); }
    BENCH(skips, .area = "a") { if (SIDE == 2) bench_skip(b, "not here"); bench_loop(b) bench_clobber(); }
    BENCH(runs, .area = "a") { bench_loop(b) bench_clobber(); }"""
    for side in 1, 2:
        (tmp_path / f"{side}.so").symlink_to(modules(source, f"-DSIDE={side}"))
    done = typed("compare", "--private", "--processes=4", *BRIEF[1:], "1.so", "2.so")

    assert done.returncode == BENCHMARK
    assert re.search(r"^a/breaks   It crashed with signal 6 \(Aborted\)", done.stdout, re.M)
    assert re.search(r"^    \| .*Assertion `SIDE == 1' failed", done.stdout, re.M)
    assert re.search(r"^a/skips    It called bench_skip: not here \(the new side\)$", done.stdout, re.M)
    assert "too few processes" not in done.stdout and "benchmarks failed" not in done.stdout
    assert re.search(r"^Partial: 3 comparisons, 1 [a-z ]+, 1 skipped, 1 failed\b", done.stdout, re.M)
    assert all(row["warnings"] == [] for row in json.loads(typed("show", "--private", "--format=json").stdout)["comparisons"]
               if row["name"] in ("breaks", "skips"))


def test_a_run_that_measured_nothing_has_nothing_to_warn_of(typed, modules, tmp_path):
    (tmp_path / "skips.so").symlink_to(modules('BENCH(one) { bench_skip(b, "no"); }\nBENCH(two) { bench_skip(b, "no"); }'))
    done = typed("run", "--private", "--quick", "skips.so")

    assert done.returncode == DONE
    assert re.search(r"^Skipped: 2 benchmarks\. Job", done.stdout, re.M)
    assert "quick" not in done.stdout and "no probes" not in done.stdout and "no ruler" not in done.stdout


def test_the_history_tells_a_run_that_failed_in_part_from_one_that_was_cancelled(typed, modules, tmp_path):
    (tmp_path / "part.so").symlink_to(modules('BENCH(fails) { bench_fail(b, "no"); }\nBENCH(runs) { bench_loop(b) bench_clobber(); }'))
    assert typed("run", "--private", *BRIEF, "part.so").returncode == BENCHMARK

    assert re.search(r"   done, partial +2$", typed("history", "--private").stdout, re.M)


def test_the_cpus_of_a_private_daemon_are_named_by_the_command_in_the_hint(typed, a_so):
    done = typed("run", "--private", "--cpus=1023", a_so)

    assert done.returncode == MACHINE and "This machine does not have CPU 1023." in done.stderr
    command = re.search(r"'(benchctl status --private)' names", done.stderr)[1]
    assert typed(*command.split()[1:]).returncode == DONE
