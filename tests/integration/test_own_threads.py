# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies with threads of their own: on one CPU they say so, and CPUs that are lent to them are found and used."""

import os
import pathlib
import shutil
import subprocess

import pytest

import benchd_pb2 as pb
from support.benchctl import ANY
from support.client import Failed

TOUCHES = "thread windows cold"

SOURCE = pathlib.Path(__file__).parent / "modules/own-threads.cc"
HEADER = pathlib.Path(__file__).parents[2] / "include"
THREADS = ["thread_in_loop", "async_in_loop", "c11_in_loop", "pool_of_setup", "pool_of_loop", "pool_of_constructor", "spinning"]
OPENMP = ["openmp", "openmp_in_a_function"]
ASLEEP = ["timer_asleep", "background_asleep"]


def built(directory, name, *flags):
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    path = directory / f"{name}.so"
    done = subprocess.run(["g++", "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{HEADER}", *flags, SOURCE, "-o", path], capture_output=True, text=True)
    if done.returncode and "-fopenmp" in flags:
        pytest.skip("needs OpenMP: " + done.stderr)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def threads(tmp_path_factory):
    return built(tmp_path_factory.mktemp("own"), "threads")


@pytest.fixture(scope="module")
def openmp(tmp_path_factory):
    return built(tmp_path_factory.mktemp("own"), "openmp", "-fopenmp")


@pytest.fixture
def two_cpus():
    """The CPUs of this machine, of which there are two or more."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("needs two CPUs")
    return cpus


def rows(run):
    return {name.split("/")[1]: result for name, result in run.benchmarks.items()}


def run(client, module, names, **options):
    results = rows(client.run(module, quick=True, filters=[f"*/{name}" for name in names], **options))
    for name, result in results.items():
        assert not result.HasField("failed"), f"{name}: {result.failed.message}"
    return results


def kinds(result):
    return {finding.kind for finding in result.findings}


def warning(result, kind):
    return next(text for text, finding in zip(result.warnings, result.findings) if finding.kind == kind)


def test_threads_that_shared_one_cpu_are_told_with_the_option(client, threads):
    results = run(client, threads, THREADS)

    assert set(results) == set(THREADS)
    for name, result in results.items():
        assert "other-threads" in kinds(result), name
        assert "waits" not in kinds(result), f"{name} waits for its own work"
        assert "--cpus-per-run=2" in warning(result, "other-threads")
        assert result.cpus == 1 and result.own_threads_cpus > 0.01


def test_threads_that_have_cpus_are_not_told(client, threads, two_cpus):
    results = run(client, threads, THREADS, cpus_per_run=2)

    for name, result in results.items():
        assert not kinds(result) & {"other-threads", "one-cpu", "changed-affinity"}, name
        assert result.cpus == 2 and result.own_threads_cpus > 0.01
        assert result.disturbed.migrated == 0, "the scheduler may place its threads among its CPUs"


def test_threads_that_sleep_are_not_told(client, threads):
    for name, result in run(client, threads, ASLEEP).items():
        assert not any("thread" in text for text in result.warnings), (name, list(result.warnings))
        assert result.own_threads_cpus < 0.01


def test_openmp_on_one_cpu_is_told_of_the_rows_that_use_it(client, openmp):
    results = run(client, openmp, [*OPENMP, "serial"])

    for name in OPENMP:
        assert "GOMP_parallel" in warning(results[name], "one-cpu") and "--cpus-per-run=2" in warning(results[name], "one-cpu")
    assert not kinds(results["serial"]) & {"one-cpu", "other-threads"}


def test_openmp_threads_that_share_one_cpu_are_told_as_others_are(client, openmp):
    for name, result in run(client, openmp, OPENMP, environment=["OMP_NUM_THREADS=2"]).items():
        assert "other-threads" in kinds(result), name
        assert "one-cpu" not in kinds(result), name


def test_openmp_that_is_told_to_run_in_one_thread_is_as_it_should_be(client, openmp):
    for name, result in run(client, openmp, OPENMP, environment=["OMP_NUM_THREADS=1"]).items():
        assert not kinds(result) & {"one-cpu", "other-threads"}, name


def test_openmp_finds_the_cpus_that_are_lent(client, openmp, two_cpus):
    for name, result in run(client, openmp, OPENMP, cpus_per_run=2).items():
        assert not kinds(result) & {"one-cpu", "other-threads"}, name
        assert result.own_threads_cpus > 0.01, name


def test_bound_openmp_threads_have_left_no_cpu(client, openmp, two_cpus):
    for name, result in run(client, openmp, OPENMP, cpus_per_run=2, environment=["OMP_PROC_BIND=close"]).items():
        assert "changed-affinity" not in kinds(result), name


def test_a_parallel_library_on_one_cpu_is_told_where_the_module_has_no_openmp_of_its_own(client, tmp_path):
    library, module = tmp_path / "libshares.so", tmp_path / "uses.so"
    (tmp_path / "shares.c").write_text("double shares(double *v, int n) { double s = 0;\n#pragma omp parallel for reduction(+:s)\n"
                                       "for (int i = 0; i < n; i++) s += v[i]; return s; }\n")
    (tmp_path / "uses.c").write_text("#include <benchd/bench.h>\ndouble shares(double *v, int n);\nstatic double v[1000];\n"
                                     "BENCH(uses) { bench_loop(b) bench_use(shares(v, 1000)); }\n")
    for command in (["cc", "-O2", "-fopenmp", "-shared", "-fPIC", tmp_path / "shares.c", "-o", library, "-Wl,-soname,libshares.so"],
                    ["cc", "-O2", "-shared", "-fPIC", f"-I{HEADER}", tmp_path / "uses.c", library, "-o", module]):
        if subprocess.run(command).returncode:
            pytest.skip("needs OpenMP")
    (result,) = client.run(module, libraries=[library], quick=True).benchmarks.values()

    assert not result.HasField("failed"), result.failed.message
    assert "OpenMP" in warning(result, "one-cpu")


def test_constructor_setup_and_threads_find_all_cpus_and_no_fifo(client, threads, two_cpus):
    found = client.run(threads, quick=True, filters=["*/finds"], cpus_per_run=2)
    (result,) = found.benchmarks.values()

    facts = {counter.name: counter.value for counter in result.counters}
    assert (facts["constructor"], facts["setup"], facts["thread"], facts["policy"]) == (2, 2, 2, os.SCHED_OTHER)
    assert len(found.result.environment.cpus) == 2
    assert found.result.environment.scheduler == pb.Environment.OTHER
    controls = {control.name: control for control in found.result.environment.controls}
    assert controls["scheduler"].outcome == pb.Control.OMITTED
    assert (controls["affinity"].outcome, getattr(controls["affinity"], "is")) == (pb.Control.APPLIED, "its cpus")
    assert any("SCHED_FIFO" in text and "own" in text for text in found.result.warnings), list(found.result.warnings)


def test_no_other_cpus_are_online_where_the_process_has_a_view_of_its_own(client, threads, two_cpus):
    found = client.run(threads, quick=True, filters=["*/finds"], cpus_per_run=2)
    if {control.name: control.outcome for control in found.result.environment.controls}["namespaces"] != pb.Control.APPLIED:
        pytest.skip("no namespaces here")
    (result,) = found.benchmarks.values()
    facts = {counter.name: counter.value for counter in result.counters}
    (usual,) = run(client, threads, ["finds"]).values()

    assert (facts["hardware_concurrency"], facts["online_is_covered"]) == (2, 1)
    assert next(counter.value for counter in usual.counters if counter.name == "online_is_covered") == 0


def test_without_the_option_there_is_one_cpu(client, threads):
    (result,) = run(client, threads, ["finds"]).values()
    found = {counter.name: counter.value for counter in result.counters}

    assert (found["constructor"], found["setup"], found["thread"]) == (1, 1, 1)


ASKS = """
#include <sched.h>

BENCH(asks, .cpus = 2)
{
        cpu_set_t set;

        sched_getaffinity(0, sizeof set, &set);
        bench_loop(b) bench_clobber();
        bench_counter(b, "cpus", CPU_COUNT(&set));
}

BENCH(asks_for_much, .cpus = 64) { bench_loop(b) bench_clobber(); }
BENCH(both, .cpus = 3, .threads = BENCH_THREADS(2)) { bench_loop(b) bench_clobber(); }
BENCH(none) { bench_loop(b) bench_clobber(); }
"""


@pytest.fixture(scope="module")
def asks(modules):
    return modules(ASKS, "-D_GNU_SOURCE", name="asks")


def test_the_module_names_the_number_and_the_command_line_overrides_it(client, asks, two_cpus):
    for options, cpus in (({}, 2), ({"cpus_per_run": 1}, 1)):
        (result,) = run(client, asks, ["asks"], **options).values()
        assert [counter.value for counter in result.counters] == [cpus] and result.cpus == cpus
    (entry,) = (entry for entry in client.list(asks).benchmarks if entry.name == "asks")
    assert entry.cpus == 2


def test_more_cpus_than_the_machine_lends_are_skipped_or_fail_with_the_limit(client, asks, two_cpus):
    if len(two_cpus) >= 64:
        pytest.skip("too many CPUs")
    found = rows(client.run(asks, quick=True, filters=["*/asks_for_much", "*/none"]))
    assert found["asks_for_much"].failed.code == "skipped"
    assert found["asks_for_much"].failed.message == f"It asks for 64 CPUs; this machine can lend at most {len(two_cpus)} CPUs (--cpus-per-run)."
    found = rows(client.run(asks, quick=True, filters=["*/none"], cpus_per_run=len(two_cpus) + 1))
    assert found["none"].failed.code == "cpus"


def test_a_number_of_the_module_beyond_the_most_is_refused_in_words(client, modules):
    with pytest.raises(Failed, match=r"\.cpus is 65, of at most 64"):
        client.list(modules("BENCH(x, .cpus = 65) { bench_loop(b) bench_clobber(); }", name="beyond"))


def test_too_few_named_cpus_are_refused_with_the_option(client, asks, two_cpus):
    with pytest.raises(Failed, match="too few cores.*--cpus-per-run"):
        client.run(asks, quick=True, filters=["*/none"], cpus=two_cpus[1:2], cpus_per_run=2)


def test_several_threads_of_benchds_take_no_more(client, asks, two_cpus):
    failed = rows(client.run(asks, quick=True, filters=["*/both"]))["both threads=2"].failed

    assert failed.code == "cpus" and "--cpus-per-run" in failed.message and "2 threads" in failed.message
    with pytest.raises(Failed, match="threads is 2 and cpus_per_run is 3"):
        client.run(asks, quick=True, threads=2, cpus_per_run=3)
    (result,) = run(client, asks, ["none"], threads=2, cpus_per_run=1).values()
    assert (result.threads, result.cpus) == (2, 2)


@pytest.mark.parametrize("cpus", [0, 65, 2**32 - 1])
def test_numbers_out_of_range_are_refused(client, asks, cpus):
    with pytest.raises(Failed, match="cpus_per_run"):
        client.run(asks, quick=True, cpus_per_run=cpus)


def test_a_key_has_the_number(client, asks, two_cpus):
    keys = [client.run(asks, quick=True, filters=["*/none"], cpus_per_run=n).result for n in (1, 2)]

    assert keys[0].comparability_key != keys[1].comparability_key
    assert [result.method for result in keys] == ["benchd", "benchd cpus-per-run=2"]


def test_older_methods_and_comparisons_refuse_it(client, asks, two_cpus):
    with pytest.raises(Failed, match="does not take --cpus-per-run"):
        client.run(asks, method="macro", cpus_per_run=2)
    with pytest.raises(Failed, match="cpus_per_run"):
        client.compare(asks, asks, cpus_per_run=2)


LEAVES = """
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static void *stay(void *nothing)
{
        pause();
        return nothing;
}

static void *leave_later(void *nothing)
{
        poll(NULL, 0, 20);
        return nothing;
}

static void start(struct bench *b, void *(*function)(void *))
{
        pthread_t thread;

        if (pthread_create(&thread, NULL, function, NULL))
                bench_fail(b, "no thread");
        pthread_detach(thread);
}

BENCH(one_more_each_batch, .iterations = 1) { bench_loop(b) start(b, stay); }
BENCH(gone_a_little_later, .iterations = 1) { bench_loop(b) start(b, leave_later); }

BENCH(a_pool_that_grows)
{
        int n = 0;

        bench_loop(b)
                if (n < 8) {
                        n++;
                        start(b, stay);
                }
}
"""


def test_threads_that_batches_leave_behind_are_refused_and_a_pool_is_none(client, modules):
    found = rows(client.run(modules(LEAVES, "-pthread", "-D_GNU_SOURCE", name="leaves"), quick=True))

    assert found["one_more_each_batch"].failed.code == "thread-left"
    assert found["gone_a_little_later"].failed.code == "thread-left"
    assert not found["a_pool_that_grows"].HasField("failed"), found["a_pool_that_grows"].failed.message


def test_benchctl_shows_the_cpus_of_a_row(benchctl, asks, two_cpus):
    assert "none cpus=2" in benchctl("run", "--quick", "--cpus-per-run=2", asks, "--", "*/none", expect=ANY).stdout
