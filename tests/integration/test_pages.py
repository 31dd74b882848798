# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual and README.md beside the programs: each option, command and word of either is in the other, and each example runs.

Tables that stand in sources are held by tests/rules and tests/golden; what programs print of themselves, by this file.
"""

import json
import os
import re
import shlex
import shutil
import subprocess

import pytest

from support import pages, schemas
from support.benchctl import ANY, BRIEF, Benchctl
from support.paths import IS_SANITIZED, SOURCE

TOUCHES = "man/* README.md help"

VERB = re.compile(r"^  ([\w-]+) ", re.M)
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


@pytest.fixture
def daemon(kept):
    with kept(launch=["--no-probes"]) as daemon:
        yield daemon


def said(build, program, *words):
    return subprocess.run([build / program, *words], check=True, capture_output=True, text=True).stdout


def offered(build, *words):
    """The candidates of completion for the last of some words."""
    return [line.split("\t")[0] for line in said(build, "client/ctl/benchctl", "--complete", *words).splitlines()]


def verbs(build):
    return VERB.findall(said(build, "client/ctl/benchctl", "--help").split("Commands:")[1].split("\n\n")[0])


def options(build, verb):
    return {option.rstrip("=") for option in offered(build, verb, "-") if option.startswith("--")}


# ---- names

# Options that the pages name and that are other programs'.
OTHERS = {"--args", "--trace-children", "--coverage", "--check-config", "--restore", "--variable", "--cflags", "--libs", "--with-front-end",
          "--export-asciidoc", "--export-orgmode", "--norc"}


def test_the_manual_has_each_option_of_benchctl_and_no_other(build):
    page = pages.page("benchctl.1")
    of_exec = pages.page("benchctl-exec.1")
    known = set().union(*(options(build, verb) for verb in verbs(build)))
    told = set(OPTION.findall(pages.plain(page) + pages.plain(of_exec)))
    headed = {option for text in (page, of_exec) for tag in pages.tags(pages.section(text, "OPTIONS")) for option in OPTION.findall(tag)}
    of_a_command = {"--all", "--explain", "--restore", "--static-limit"}  # described with the command

    assert sorted(known - told) == [], "man/benchctl.1 says nothing of these options"
    assert sorted(known - headed - of_a_command) == [], "OPTIONS of man/benchctl.1 has no entry for these"
    assert sorted(told - known - OTHERS) == [], "man/benchctl.1 tells of options that benchctl has not"
    assert sorted(headed - known) == []


MARKDOWN = ["README.md", "SECURITY.md", "proto/PROTOCOL.md", *(str(path.relative_to(SOURCE)) for path in sorted(SOURCE.glob("examples/*/README.md")))]


@pytest.mark.parametrize("page", [page.name for page in pages.PAGES if page.name not in ("benchctl.1", "benchd.8", "benchd-launch.8")] + MARKDOWN)
def test_other_texts_name_only_options_that_there_are(build, page):
    known = set().union(*(options(build, verb) for verb in verbs(build)), *(options_in_help(build, program) for program in DAEMONS))
    text = (SOURCE / page).read_text() if page in MARKDOWN else pages.plain(pages.page(page))
    others = OTHERS | {"--buildtype", "--create", "--update-catalog", "--now", "--append", "--groups", "--prefix", "--runs", "--padded", "--sizes", "--offline", "--command-name", "--export-json",
                       "--constraint", "--exclusive", "--no-kill", "--nodes", "--overlap"}
    assert sorted(set(OPTION.findall(text)) - known - others) == []


def test_the_manual_has_each_word_that_an_option_takes(build):
    page = "".join(pages.plain(pages.page(name)) for name in ("benchctl.1", "benchctl-formats.7", "benchctl-table.7"))
    lists = [(verb, option) for verb in ("run", "compare", "history", "set-governor") for option in offered(build, verb, "-") if option.endswith("=")]
    words = {word.split("=", 1)[1] for verb, option in lists for word in offered(build, verb, option) if word.startswith(option)}
    words |= {word for word in offered(build, "set-governor", "") if not word.startswith("-")}

    assert len(words) > 30
    assert sorted(word for word in words if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", page)) == []


DAEMONS = "daemon/front/benchd", "daemon/launch/benchd-launch"


def options_in_help(build, program):
    """Those that begin a line, and those behind a comma beside them."""
    rows = re.findall(r"^ +(--.*?)(?:  |$)", said(build, program, "--help"), re.M)
    return {option for row in rows for option in OPTION.findall(row)}


# ---- JSON that benchctl makes itself

SUMS = """
#include <stdio.h>
BENCH(sum, .area = "sums") { long n = 0; bench_loop(b) { n += bench_index(b); bench_opaque(n); } }
"""


def test_what_benchctl_makes_has_the_fields_of_its_schema_and_no_other(benchctl, modules, tmp_path):
    """Answers that libbenchd makes are held by tests/golden."""
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    module, other = modules(SUMS, "-g"), modules(SUMS.replace("n +=", "n ^="), "-g")
    for file in files:
        benchctl("run", "--format=json", "-o", file, module, *BRIEF)
    against = benchctl.json("show", files[0], f"--baseline={files[0]}")
    compared = benchctl.json("compare", "--explain", module, other, *BRIEF)
    explained = compared.pop("explain")
    answers = {
        "trend": benchctl.json("history", "sums/*"),
        "side_by_side": benchctl.json("show", *files),
        "source": benchctl.json("source", module, "sums/sum"),
        "disasm": benchctl.json("disasm", "--static-limit", module, "sums/sum"),
        "explain": explained[0],
        "baseline": against["baseline"],
    }
    for result in json.loads(files[0].read_text()), compared:
        schemas.validator("run-result").validate(result)
    for definition, answer in answers.items():
        schemas.validator("answers", definition).validate(answer)
    assert answers["trend"]["benchmarks"][0]["runs"] and answers["side_by_side"]["benchmarks"] and answers["disasm"]["benchmark"]["loop"]
    assert answers["disasm"]["functions"][0]["instructions"] and answers["disasm"]["sources"] and answers["explain"]["rows"]
    assert answers["disasm"]["limit"]["measured"] or answers["disasm"]["limit"]["problem"]


# ---- examples

MINE = """
#include <benchd/bench.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

BENCH(qsort, .area = "sorting", .args = BENCH_ARGS(n, 100, 200)) {
        int numbers[200];

        bench_loop(b) {
                for (int i = 0; i < 200; i++)
                        numbers[i] = i ^ 77;
                qsort(numbers, (size_t)bench_arg(b, 0), sizeof *numbers, compare);
                bench_clobber();
        }
}

BENCH(strlen) { bench_loop(b) bench_clobber(); }

BENCH(strlen_1000) {
        char text[1001];
        char *s = text;

        memset(text, 'x', 1000);
        text[1000] = 0;
        bench_loop(b) {
                bench_opaque(s);
                bench_use(LENGTH(s));
        }
}
"""

# In place of benchctl: what measures is brief, one area stands for all, and no verdict of so few samples ends the script or
# keeps a baseline from being saved. A baseline is of an unprepared run: another test's daemon that holds the machine's settings in one of the two runs changes no condition of it.
BRIEFLY = r"""
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_without_verdict(void)
{
        int status;

        if (wait(&status) < 0 || !WIFEXITED(status))
                return 127;
        status = WEXITSTATUS(status);
        return status == 1 || status == 6 || status == 7 ? 0 : status;
}

int main(int argc, char **argv)
{
        char *words[argc + 7];
        bool operand = false, judges = false, baseline = false, measures = argc > 1 && (strcmp(argv[1], "run") == 0 || strcmp(argv[1], "compare") == 0);
        bool commands = argc > 1 && strcmp(argv[1], "exec") == 0;
        int n = 0;

        for (int i = 2; i < argc; i++) {
                operand |= argv[i][0] != '-';
                measures &= strcmp(argv[i], "--here") != 0;
                baseline |= strstr(argv[i], "baseline=") != NULL;
                judges |= strncmp(argv[i], "--fail-on=", strlen("--fail-on=")) == 0;
        }
        words[n++] = argv[0];
        if (argc > 1)
                words[n++] = argv[1];
        if (commands)
                words[n++] = "--budget=0.2";
        if (measures) {
                words[n++] = "--quick";
                words[n++] = "--samples=3";
                words[n++] = "--warmup=1";
                words[n++] = "--min-time=0.01";
                if (baseline)
                        words[n++] = "--prepare=none";
                if (!operand)
                        words[n++] = "calls";
        }
        for (int i = 2; i <= argc; i++)
                if (!baseline || i == argc || strcmp(argv[i], "--fail-on=unfit") != 0)
                        words[n++] = argv[i];
        if (judges && fork() != 0)
                return status_without_verdict();
        execv(BENCHCTL, words);
        return 127;
}
"""


@pytest.fixture
def workplace(build, tmp_path):
    """A directory with the files that examples name, and a benchctl that measures briefly."""
    place = tmp_path / "place"
    (place / "build/client/ctl").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    subprocess.run(["cc", "-x", "c", "-", f'-DBENCHCTL="{build}/client/ctl/benchctl"', "-o", tmp_path / "bin/benchctl"], input=BRIEFLY, text=True, check=True)
    (place / "build/client/ctl/benchctl").symlink_to(tmp_path / "bin/benchctl")
    (place / "build/examples").symlink_to(build / "examples")
    (place / "examples").symlink_to(SOURCE / "examples")
    shutil.copy(SOURCE / "examples/minimal.c", place)
    text = MINE.replace("LENGTH(s)", "strlen(s)")
    for name in ("mybench.c", "v1.c", "old.c", "new.c"):
        (place / name).write_text(text)
    (place / "v2.c").write_text(MINE.replace("LENGTH(s)", "strnlen(s, 2000)"))
    shutil.copy(place / "mybench.c", place / "bench.c")
    for name in ("minimal", "mybench", "bench", "old", "new"):
        subprocess.run(["cc", "-O2", "-g", "-D_GNU_SOURCE", "-shared", "-fPIC", f"-I{SOURCE}/include", f"{name}.c", "-o", f"{name}.so"], check=True, cwd=place)
    return place


GUIDES = ["README.md", *(str(path.relative_to(SOURCE)) for path in sorted(SOURCE.glob("examples/*/README.md")))]
TEXTS = {page.name: (page.read_text(), True) for page in pages.PAGES} | {name: ((SOURCE / name).read_text(), False) for name in GUIDES}
BLOCKS = {name: list(pages.example_blocks(*text)) for name, text in TEXTS.items()}
RUN = {name: [(line, commands) for line, commands, reason in blocks if reason is None] for name, blocks in BLOCKS.items()}


def test_each_block_of_commands_is_run_or_says_why_not():
    assert [f"{name}:{line}" for name, blocks in BLOCKS.items() for line, commands, reason in blocks if reason is False] == []
    assert sum(map(len, RUN.values())) > 8


@pytest.mark.skipif(IS_SANITIZED, reason="gdb and valgrind do not run a benchctl that is sanitized")
@pytest.mark.parametrize("text", [name for name in RUN if RUN[name]])
def test_the_examples_run(text, workplace, daemon):
    """All of a text in one shell, one after the other, as a reader goes along."""
    lacking = [tool for tool in ("gdb", "valgrind", "llvm-mca") if re.search(rf"^{tool}|--static-limit", str(RUN[text]), re.M) and not shutil.which(tool)]
    if lacking:
        pytest.skip(f"{lacking[0]} is not installed")
    script = "".join(f"echo '--- {text}:{line}' >&2\n{commands}times >&2\n" for line, commands in RUN[text])
    environment = os.environ | {"PATH": f"{workplace.parent}/bin:{os.environ['PATH']}", "BENCHD_SOCKET": str(daemon.socket),
                                "CPATH": f"{SOURCE}/include", "BROWSER": "true", "CFLAGS": "-D_GNU_SOURCE", "COLUMNS": "80"}
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], stdin=subprocess.DEVNULL, text=True, capture_output=True, cwd=workplace, env=environment, timeout=600)
    assert done.returncode == 0, f"{done.returncode}\n{done.stderr[-3000:]}"


# What stands for a word of the reader's, longest first.
STANDS_FOR = {"AREA/BENCHMARK": "strings/strlen", "OLD NEW": "old.c new.c", "FILTER": "strlen_1000", "NAME": "strlen_1000", "@JOB": "@$job", "JOB": "$job"}
# Reasons why a command is not typed here.
NOT_TYPED = {
    "--host=": "needs ssh to another machine: test_several_machines",
    "set-governor ": "sets the machine: test_set_governor",
    "benchctl bisect ": "searches a repository of the reader's: test_bisect",
    "go.so": "needs Go: test_go",
    "functions.so": "a module that examples/sestoft builds: test_sestoft",
    "sorts.so": "a module that examples/sestoft builds: test_sestoft",
    "debug mybench": "stops in gdb: test_debug",
    "debug strings": "stops in gdb: test_debug",
}


def helped(build):
    """Commands of the help: of all, of no command, and those that answer wrong operands."""
    benchctl = Benchctl(build, expect=ANY)
    told = [benchctl("--help").stdout, benchctl().stderr, *(benchctl(verb, *"abcdefg").stderr for verb in verbs(build))]
    found = re.findall(r"^ +(benchctl \w.*?)(?:  |$)", "\n".join(told[:2]), re.M)
    return found + [command for text in told[2:] for example in re.findall(r"For example: (.*)", text) for command in re.findall(r"benchctl [^;,]+?(?=[;,.]? |[;,.]?$|;)(?: [^;,: ]+)*", example)]


def commands_within(build):
    """Each command within a sentence of the pages, guides and help: as it is typed -> where it stands. A verb with or without an option is
    only a name."""
    found = {}
    for name, (text, is_roff) in TEXTS.items():
        commands = pages.unescape("\n".join(re.findall(r'^\.B[RI]? "(benchctl [^"]*)"', text, re.M))).split("\n") if is_roff else re.findall(r"`(?:time |sudo )?(benchctl [^`]*)`", text)
        found |= {" ".join(command.split()): name for command in commands if command}
    found |= {command.removesuffix(" ..."): "help" for command in helped(build)}
    return {command: where for command, where in found.items() if command.split()[1][0] != "-" and ("--private" in command or any(word[0] != "-" for word in command.split()[2:]))}


def typed_as(command):
    for word, stands_for in STANDS_FOR.items():
        command = re.sub(rf"(?<![\w/@-]){word}(?![\w/])", stands_for, command)
    return command


def test_commands_within_sentences_and_the_help_are_typed(build, workplace, daemon):
    """A command in a new sentence is typed without a change here; a reason that no command has any more is removed."""
    commands = commands_within(build)
    left_out = {command: key for command in commands for key in NOT_TYPED if key in command}
    assert sorted(set(NOT_TYPED) - set(left_out.values())) == []
    environment = os.environ | {"PATH": f"{workplace.parent}/bin:{os.environ['PATH']}", "BENCHD_SOCKET": str(daemon.socket), "CPATH": f"{SOURCE}/include",
                                "BROWSER": "true", "EDITOR": "true", "VISUAL": "true", "CFLAGS": "-D_GNU_SOURCE", "COLUMNS": "80"}
    script = ["job=$(benchctl run --detach mybench.so); benchctl wait $job > /dev/null"]
    for command in sorted(commands.keys() - left_out.keys()):
        fresh = f"rm -f {command.split()[2]}; " if command.split()[1] == "new" else ""
        script.append(f"{fresh}{typed_as(command)} > out 2>&1 || {{ cat out; echo {shlex.quote(f'{commands[command]}: {command}')}; exit 1; }}")
    done = subprocess.run(["bash", "-c", "\n".join(script)], stdin=subprocess.DEVNULL, text=True, capture_output=True, cwd=workplace, env=environment, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-1000:]
    assert len(script) > 10, "hardly a command is found"


def test_a_block_without_its_mark_would_be_seen():
    roff = '.EX\nbenchctl run x\n.EE\n.\\" run\n.EX\n$ benchctl \\-\\-y \\e\n      z\nout\n.EE\n.\\" not run: no such\n.EX\nbenchctl q\n.EE\n'
    assert [(commands, reason) for _, commands, reason in pages.example_blocks(roff, True)] == [
        ("benchctl run x\n", False), ("benchctl --y \\\nz\n", None), ("benchctl q\n", "no such")]
    markdown = "```console\n$ a\nb\n```\n\n```\n$ c\n```\n\n<!-- not run: because -->\n\n```\n$ d\n```\n\n```\nplain\n```\n"
    assert [(commands, reason) for _, commands, reason in pages.example_blocks(markdown, False)] == [("a\n", None), ("c\n", False), ("d\n", "because")]
