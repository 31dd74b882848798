# SPDX-License-Identifier: GPL-3.0-or-later
"""The completion of a command line: what benchctl offers, and what each shell makes of it, driven as a user's keys drive it."""

import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import subprocess
import time

import pytest

from support.benchctl import ANY, TIMEOUT_S, Benchctl
from support.client import TIMEOUT_S

TOUCHES = "complete client/ctl/app/completion/* operands verb"

ROOT = pathlib.Path(__file__).parents[2]
SCRIPTS = ROOT / "client/ctl/app/completion"

TWO = """
BENCH(first, .area = "words", .about = "the first one") { bench_loop(b) bench_clobber(); }
BENCH(second, .area = "words", .args = BENCH_ARGS(n, 1, 2)) { bench_loop(b) bench_clobber(); }
"""


@pytest.fixture
def daemon(kept):
    with kept(launch=["--no-probes"]) as daemon:
        yield daemon


@pytest.fixture
def offered(build):
    """The candidates for the last of some words, with their descriptions."""
    def offered(*words):
        done = Benchctl(build)("--complete", *map(str, words), expect=ANY, timeout=600)
        assert (done.returncode, done.stderr) == (0, "")
        return dict((line + "\t").split("\t")[:2] for line in done.stdout.splitlines())

    return offered


def options_in_help(build, *verb):
    text = Benchctl(build)(*verb, "--help").stdout
    return set(re.findall(r"^ +(?:-\w, )?(--[\w-]+=?)", text, re.M))


def verbs_in_help(build):
    text = Benchctl(build)("--help").stdout
    return re.findall(r"^  ([\w-]+) ", text.split("Commands:")[1].split("\n\n")[0], re.M)


# ---- what benchctl offers

def test_the_first_word_is_a_command(build, offered):
    assert list(offered("")) == verbs_in_help(build)
    assert list(offered("sh")) == ["show"]
    assert offered("show") == {"show": "print the result of an earlier job, or two side by side"}


def test_the_options_are_those_of_the_command_s_help(build, offered):
    for verb in verbs_in_help(build):
        assert set(offered(verb, "-")) == options_in_help(build, verb), verb
    assert set(offered("-")) == options_in_help(build)


def test_values_of_a_list_are_offered_and_taken(build, offered):
    manual = (ROOT / "man/benchctl.1.in").read_text().split(".SH METHODS\n")[1].split("\n.SH ")[0]
    methods = [name for names in re.findall(r"^\.TP\n\.B (.*)$", manual, re.M) for name in names.split(", ")]
    assert list(offered("run", "--method=")) == [f"--method={name}" for name in ["benchd", *methods]]
    assert list(offered("run", "--method", "s")) == ["stopwatch", "softwx"]
    assert list(offered("run", "--prepare=n")) == ["--prepare=none"]
    assert list(offered("compare", "--fail-on", "")) == ["slower", "unresolved", "unfit"]
    of_comparison = re.search(r"^  of a comparison +(.*?)\n\n", Benchctl(build)("compare", "--help").stdout, re.M | re.S)[1].replace("\n", " ").split(", ")
    assert [name.strip() for name in of_comparison] == list(offered("compare", "--columns", "")) and "quiet" not in of_comparison
    assert list(offered("compare", "--columns=ratio,ve")) == ["--columns=ratio,verdict"]
    assert {"quiet", "ratio"} <= set(offered("show", "--columns", ""))

    for verb, option in (("run", "format"), ("history", "state")):
        words = offered(verb, f"--{option}=")
        assert len(words) > 3
        for word in words:
            done = Benchctl(build)(verb, word, "--socket=/nonexistent", expect=ANY)
            assert "Cannot reach the daemon" in done.stderr, f"{word} is refused: {done.stderr}"
    assert "high-performance" in offered("set-governor", "") and "--restore" in offered("set-governor", "--r")


def test_files_stand_where_files_are_meant(offered):
    assert offered("compare", "--git=main", "") == offered("compare", "--git", "main", "") == {":modules": ""}
    assert offered("compare", "--git=main", "m.so", "") == offered("compare", "old.so", "new.so", "")
    assert offered("compare", "") == offered("run", "x") == {":modules": ""}
    assert offered("run", "-o", "") == offered("run", "--output=") == offered("run", "--with", "") == {":files": ""}
    assert offered("status", "") == offered("run", "--seed=") == offered("nonsense", "") == {}


def in_time(ask):
    """What @ask finds: it is asked again where a daemon, which has a second to answer, took longer. Words for files are no answer."""
    deadline = time.monotonic() + TIMEOUT_S
    while not set(found := ask()) - {":modules"}:
        assert time.monotonic() < deadline, "nothing is offered"
    return found


@pytest.fixture
def offered_by_daemon(offered):
    return lambda *words: in_time(lambda: offered(*words))


def test_areas_stand_beside_files(offered, offered_by_daemon, daemon):
    socket = f"--socket={daemon.socket}"
    areas = list(offered("run", ""))

    assert areas == list(offered("list", "calls", "")) and areas[-1] == ":modules" and {"calls", "strings"} <= set(areas)
    assert list(offered("run", "strin")) == ["strings", ":modules"]
    assert list(offered_by_daemon("run", socket, "strings/strl")) == ["strings/strlen", ":modules"]
    assert {word.split("/")[0] for word in offered_by_daemon("run", socket, "calls", "--", "")} == {"calls"}
    assert {word.split("/")[0] for word in offered_by_daemon("list", socket, "--", "")} == set(areas[:-1])
    assert "--scale=strings/strlen" in offered_by_daemon("run", socket, "strings", "--scale=")


def test_benchmarks_of_the_module_are_its_filters(offered, offered_by_daemon, daemon, modules):
    module, socket = modules(TWO), f"--socket={daemon.socket}"
    both = {"words/first": "the first one", "words/second": ""}

    assert offered_by_daemon("run", socket, module, "--", "") == offered_by_daemon("list", module, socket, "--", "") == both
    assert list(offered_by_daemon("run", "--socket", daemon.socket, module, "--", "words/first", "!words/s")) == ["!words/second"]
    assert offered_by_daemon("compare", socket, module, module, "") == both
    assert list(offered_by_daemon("compare", socket, f"{module}#words/f")) == [f"{module}#words/first"]
    assert list(offered_by_daemon("run", socket, module, "--scale=words/f")) == ["--scale=words/first"]
    assert offered_by_daemon("disasm", socket, module, "") == offered_by_daemon("source", socket, "--all", module, "") == both
    assert offered("disasm", socket, module, "words/first", "") == {}
    assert "strings/strlen" in offered_by_daemon("disasm", socket, "strings/") and ":modules" in offered("source", "")


def test_jobs_are_those_of_the_history(offered, offered_by_daemon, benchctl, daemon, modules):
    module, socket = modules(TWO), f"--socket={daemon.socket}"
    job = benchctl.json("run", module, "--quick", "--", "words/first")["run_id"]

    for verb in ("show", "wait", "cancel", "pin", "unpin"):
        assert offered_by_daemon(verb, socket, "") == {job: f"{module}, done"}
    assert list(offered_by_daemon("show", socket, job[:5])) == [job]
    assert offered("show", socket, job, "") == {}
    assert list(offered_by_daemon("disasm", socket, "@")) == list(offered_by_daemon("source", socket, "@" + job[:3])) == ["@" + job]
    assert list(offered_by_daemon("disasm", socket, "@" + job[:6], "")) == ["words/first", "words/second"]
    assert list(offered_by_daemon("compare", socket, "@")) == list(offered_by_daemon("compare", socket, module, "@" + job[:3])) == ["@" + job]


def test_nothing_is_asked_where_another_machine_is_meant(offered, offered_by_daemon, benchctl, daemon, modules, monkeypatch):
    socket, module = f"--socket={daemon.socket}", modules(TWO)
    assert benchctl("run", module, "--quick", "--", "words/first").returncode == 0
    for words in (["show", socket, ""], ["wait", socket, ""], ["run", socket, module, "--", ""], ["disasm", socket, module, ""]):
        assert offered_by_daemon(*words)
        assert offered(words[0], "--host=elsewhere", *words[1:]) == offered(words[0], "--host", "elsewhere", *words[1:]) == {}
        monkeypatch.setenv("BENCHCTL_HOST", "elsewhere")
        assert offered(*words) == {}
        monkeypatch.setenv("BENCHCTL_HOST", "")
        assert offered_by_daemon(*words)
    assert "--host=" in offered("run", "--ho") and offered("run", "--host=") == offered("run", "--rsh=") == {}
    assert ":modules" in offered("run", "--host=elsewhere", "")


def test_what_cannot_be_known_is_silence(offered, daemon, tmp_path):
    (tmp_path / "broken.so").write_text("no module")
    for where in ("--socket=/nonexistent", f"--socket={daemon.socket}"):
        assert offered("run", where, tmp_path / "broken.so", "--", "") == {}
        assert offered("run", where, tmp_path / "missing.so", "--", "") == {}
        assert offered("show", where, "") == {}


def test_a_daemon_that_does_not_answer_is_not_waited_for(offered, tmp_path):
    import socket
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        assert offered("show", f"--socket={tmp_path / 's'}", "") == {}


# ---- the shells

@pytest.fixture
def directory(build, modules, tmp_path):
    """Where a user stands: benchctl in the path, modules and other files about."""
    (tmp_path / "bin").mkdir()
    os.symlink(build / "client/ctl/benchctl", tmp_path / "bin/benchctl")
    (tmp_path / "here/sub").mkdir(parents=True)
    shutil.copy(modules(TWO), tmp_path / "here/mine.so")
    (tmp_path / "here/notes.txt").touch()
    return tmp_path / "here"


def environment(directory):
    return {**os.environ, "PATH": f"{directory.parent / 'bin'}:{os.environ['PATH']}", "HOME": str(directory), "TERM": "dumb",
            "XDG_CONFIG_HOME": str(directory), "XDG_DATA_HOME": str(directory), "LC_ALL": "C.UTF-8"}


def bash(directory, line):
    """The replies of the function that a Tab at the end of @line calls, with the words as bash breaks them."""
    broken = re.findall(r"[=:@]+|[^\s=:@]+", line) + ([""] if line.endswith(" ") else [])
    script = f"""
source {shlex.quote(str(SCRIPTS / "benchctl.bash"))}
COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)} COMP_WORDS=({shlex.join(broken)}) COMP_CWORD={len(broken) - 1}
_benchctl
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "--norc", "-c", script], cwd=directory, env=environment(directory), capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    return sorted(filter(None, done.stdout.split("\n")))


def test_bash_puts_each_reply_behind_the_last_break_of_words(directory, daemon, modules):
    socket = f"--socket={daemon.socket}"

    assert bash(directory, "benchctl sta") == ["status"]
    assert bash(directory, "benchctl run --form") == ["--format="]
    formats = bash(directory, "benchctl run --format=")
    assert {"bmf", "csv", "details", "go", "html", "json", "mark", "table"} < set(formats)
    assert set(bash(directory, "benchctl list --format=")) < set(formats) - {"mark"}
    assert bash(directory, "benchctl run --format=j") == ["json"]
    assert bash(directory, "benchctl run --format j") == ["json"]
    assert {"calls", "mine.so", "sub"} <= set(bash(directory, "benchctl run "))
    assert bash(directory, "benchctl run -o ") == ["mine.so", "notes.txt", "sub"]
    assert bash(directory, "benchctl run --output=n") == ["notes.txt"]
    assert in_time(lambda: bash(directory, f"benchctl run {socket} mine.so -- words/f")) == ["words/first"]
    assert in_time(lambda: bash(directory, f"benchctl run {socket} mine.so -- ")) == ["words/first", "words/second"]
    assert in_time(lambda: bash(directory, f"benchctl compare {socket} mine.so#words/f")) == ["mine.so#words/first"]


def test_bash_completes_a_job_behind_its_sign(directory, benchctl, daemon):
    job = benchctl.json("run", directory / "mine.so", "--quick", "--", "words/first")["run_id"]

    assert in_time(lambda: bash(directory, f"benchctl compare --socket={daemon.socket} @{job[:3]}")) == [job]
    assert in_time(lambda: bash(directory, f"benchctl show --socket={daemon.socket} {job[:3]}")) == [job]


class Terminal:
    """A shell on a terminal of its own, with what it has printed so far."""

    def __init__(self, command, directory, **more):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=directory,
                                        env={**environment(directory), **more}, start_new_session=True)
        os.close(slave)
        self.seen = ""

    def type(self, keys):
        os.write(self.master, keys.encode())

    def await_text(self, pattern):
        while not re.search(pattern, self.seen):
            assert select.select([self.master], [], [], 60)[0], f"no {pattern} in {self.seen!r}"
            self.seen += os.read(self.master, 4096).decode(errors="replace")

    def complete(self, keys, pattern):
        """A Tab, and another one for as long as a daemon, which has a second to answer, takes longer."""
        deadline = time.monotonic() + TIMEOUT_S
        self.type(f"{keys}\t")
        while not re.search(pattern, self.seen):
            assert time.monotonic() < deadline, f"no {pattern} in {self.seen!r}"
            if select.select([self.master], [], [], 5)[0]:
                self.seen += os.read(self.master, 4096).decode(errors="replace")
            else:
                self.type("\t")

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal():
    started = []

    def start(*arguments, **more):
        started.append(Terminal(*arguments, **more))
        return started[-1]

    yield start
    for one in started:
        one.end()


def test_bash_itself_completes_at_a_tab(directory, terminal):
    shell = terminal(["bash", "--noprofile", "--norc", "-i"], directory, PS1="ready> ")
    shell.await_text("ready> ")
    shell.type(f"source {SCRIPTS}/benchctl.bash; PS1='set> '\n")
    shell.await_text(r"\nset> ")
    shell.type("benchctl run --format=deta\t")
    shell.await_text("--format=details ")
    shell.type("mi\t")
    shell.await_text(r"mine\.so ")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes_at_a_tab(directory, terminal, daemon):
    shell = terminal(["zsh", "-f", "-i"], directory)
    shell.type(f"fpath=({SCRIPTS} $fpath); autoload -Uz compinit && compinit -u -D; unsetopt zle_bracketed_paste; PS1='se''t> '\n")
    shell.await_text("set> ")
    shell.type("benchctl run --format=deta\t")
    shell.await_text("--format=details ")
    shell.type("mi\t")
    shell.await_text(r"mine\.so ")
    shell.complete(f"--socket={daemon.socket} -- words/f", "words/first ")
    shell.type("\x15benchctl run --seed=1 -o no\t")
    shell.await_text(r"notes\.txt ")
    shell.type("\x15benchctl run --output=no\t")
    shell.await_text(r"--output=notes\.txt ")


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes(directory, daemon):
    def fish(line):
        script = f"source {SCRIPTS}/benchctl.fish; complete --do-complete={shlex.quote(line)}"
        done = subprocess.run(["fish", "--no-config", "-c", script], cwd=directory, env=environment(directory), capture_output=True, text=True, timeout=600)
        assert (done.returncode, done.stderr) == (0, "")
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    assert fish("benchctl sta") == ["status"]
    assert {f"--format={name}" for name in ("csv", "details", "json", "mark", "table")} < set(fish("benchctl run --format="))
    assert "mine.so" in fish("benchctl run mi")
    assert fish("benchctl run -o no") == ["notes.txt"]
    assert fish("benchctl run --output=no") == ["--output=notes.txt"]
    assert in_time(lambda: fish(f"benchctl run --socket={daemon.socket} mine.so -- words/")) == ["words/first", "words/second"]


@pytest.mark.parametrize("shell, name", [("bash", "benchctl.bash"), ("zsh", "_benchctl"), ("fish", "benchctl.fish")])
def test_a_script_is_one_that_its_shell_can_read(shell, name):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n", SCRIPTS / name], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
