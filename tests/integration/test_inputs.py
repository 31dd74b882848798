# SPDX-License-Identifier: GPL-3.0-or-later
"""run --input: files that a body opens by name. They travel with the request, are the same for all processes, and nobody changes them."""

import hashlib
import os

import pytest

from support.benchctl import Benchctl
from support.client import PATIENT, Failed

TOUCHES = "input* workplace"

MODULE = """
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int opened;

static __attribute__((constructor)) void open_early(void)
{
        opened = access("words.txt", R_OK) == 0;
}

BENCH(first_word)
{
        char word[32] = "";
        FILE *file = fopen("words.txt", "r");

        if (!file || fscanf(file, "%31s", word) != 1) {
                bench_fail(b, "words.txt: %s", strerror(errno));
                return;
        }
        fclose(file);
        bench_label(b, "%s", word);
        bench_counter(b, "early", opened);
        bench_loop(b) bench_clobber();
}

BENCH(writes)
{
        int fd = open("words.txt", O_RDWR);

        bench_counter(b, "written", fd >= 0 && pwrite(fd, "x", 1, 0) == 1);
        bench_counter(b, "cut", truncate("words.txt", 0) == 0);
        bench_loop(b) bench_clobber();
}

BENCH(child)
{
        bench_counter(b, "status", system("grep -q hello words.txt"));
        bench_loop(b) bench_clobber();
}
"""


@pytest.fixture(scope="module")
def module(modules):
    return modules(MODULE, name="reader")


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("hello world\n")
    return path


@pytest.fixture
def benchctl(build, tmp_path):
    return Benchctl(build, cwd=tmp_path)


def run(client, module, files, **options):
    """A run with inputs: their names and bytes."""
    names = list(files)
    return client.run(module, input_names=names, input_files=[files[name] for name in names], quick=True, **PATIENT, **options)


def named(done):
    return {name.split("/")[1]: row for name, row in done.benchmarks.items()}


def test_every_process_opens_it_by_its_name_and_the_result_has_its_hash(client, module):
    done = run(client, module, {"words.txt": b"hello world\n", "other": b"x"})
    row = named(done)["first_word"]
    assert row.label == "hello" and not row.HasField("failed")
    assert {counter.name: counter.value for counter in row.counters} == {"early": 1}
    assert [(of.name, of.sha256) for of in done.result.inputs] == [
        ("words.txt", hashlib.sha256(b"hello world\n").hexdigest()), ("other", hashlib.sha256(b"x").hexdigest())]


def test_no_body_changes_it_and_its_children_have_it_too(client, module):
    rows = named(run(client, module, {"words.txt": b"hello\n"}))
    assert {counter.name: counter.value for counter in rows["writes"].counters} == {"written": 0, "cut": 0}
    assert {counter.name: counter.value for counter in rows["child"].counters} == {"status": 0}


def test_both_sides_of_a_comparison_have_the_same(benchctl, module, words):
    done = benchctl("compare", "--private", "--quick", f"--input={words}", "--format=json", module, module, "--", "*first_word")
    assert '"label": "hello"' in done.stdout and "words.txt" in done.stdout and '"failed": {' not in done.stdout


def test_here_has_it_in_a_directory_of_its_own_that_is_removed(benchctl, module, words, tmp_path, monkeypatch):
    beside = tmp_path / "temporary"
    beside.mkdir()
    monkeypatch.setenv("TMPDIR", str(beside))
    done = benchctl("run", "--here", "--input=words.txt", module)
    assert " hello" in done.stdout and "written 0" in done.stdout
    assert words.read_text() == "hello world\n"
    assert not list(beside.iterdir())


@pytest.mark.parametrize("names, sentence", [
    (["a/b"], "not that of a file"),
    ([".."], "not that of a file"),
    (["a", "a"], "same name"),
    ([f"i{i}" for i in range(9)], "at most 8"),
])
def test_what_cannot_be_a_file_there_is_refused(client, module, names, sentence):
    with pytest.raises(Failed, match=sentence):
        client.run(module, input_names=names, input_files=[b"x"] * len(names), quick=True, **PATIENT)


def test_an_input_that_somebody_could_still_write_is_refused(client, module):
    fd = os.memfd_create("open", os.MFD_ALLOW_SEALING)
    os.write(fd, b"x")
    with pytest.raises(Failed, match="descriptor of input 1 is not sealed"):
        client.run(module, input_names=["x"], input_files=[fd], quick=True, **PATIENT)


@pytest.mark.parametrize("options, sentence", [
    (["--input=nosuch"], "Cannot use 'nosuch': No such file"),
    (["--input=empty"], "Cannot use 'empty': the file is empty"),
    (["--input=words.txt", "--input=below/words.txt"], "two inputs are named words.txt"),
])
def test_a_file_that_cannot_be_sent_is_refused_in_words(benchctl, module, words, tmp_path, options, sentence):
    (tmp_path / "empty").touch()
    (tmp_path / "below").mkdir()
    (tmp_path / "below/words.txt").write_text("x")
    assert sentence in benchctl("run", "--private", *options, module, expect=2).stderr
