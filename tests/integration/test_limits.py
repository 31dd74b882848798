# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a run: what a program may ordinarily do fits in, what does not is told with the limit and the way to more of it, and that way leads
there."""

import contextlib
import os

import benchd_pb2 as pb
import pytest
from support.benchctl import USAGE, Benchctl
from support.client import Failed
from support.paths import open_directory
from support.steady import SteadyDaemon

TOUCHES = "birth runner-setup process-end run-group"

FEW = dict(quick=True, processes=1, samples=3)
MIB = 1 << 20
ORDINARY_USER = 2003

STACK = """
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

static void *takes(void *bytes)
{
        const size_t n = *(const size_t *)bytes;
        volatile char frame[n];
        for (size_t i = 0; i < n; i += 4096)
                frame[n - 1 - i] = 1;
        return (void *)(size_t)frame[n - 1];
}
/* Calls itself with frames of 64 KiB, as deep as the bytes in all. */
static __attribute__((noinline)) size_t recurses(size_t bytes)
{
        volatile char frame[65536];
        memset((char *)frame, 1, sizeof frame);
        return frame[bytes % sizeof frame] + (bytes > sizeof frame ? recurses(bytes - sizeof frame) : 0);
}
BENCH(frame, .area = "a", .args = BENCH_ARGS(mib, 6, 12))
{
        size_t bytes = (size_t)bench_arg(b, 0) << 20;
        struct rlimit limit;
        getrlimit(RLIMIT_STACK, &limit);
        bench_counter(b, "limit_mib", limit.rlim_cur >> 20);
        bench_loop(b)
                takes(&bytes);
}
BENCH(recursion, .area = "a", .args = BENCH_ARGS(mib, 6, 12))
{
        bench_loop(b)
                bench_use(recurses((size_t)bench_arg(b, 0) << 20));
}
BENCH(thread, .area = "a", .args = BENCH_ARGS(mib, 6, 12))
{
        size_t bytes = (size_t)bench_arg(b, 0) << 20;
        bench_loop(b) {
                pthread_t thread;
                if (pthread_create(&thread, NULL, takes, &bytes) != 0)
                        bench_fail(b, "no thread");
                pthread_join(thread, NULL);
        }
}
"""

RESERVE = """
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
BENCH(reserve, .area = "a", .args = BENCH_ARGS(gib, 1, 1024))
{
        const size_t n = (size_t)bench_arg(b, 0) << 30;
        char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
                bench_fail(b, "mmap: %s", strerror(errno));
        bench_loop(b) {
                p[0]++;
                bench_clobber();
        }
        munmap(p, n);
}
"""

RAISES = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
static void raise_limit(struct bench *b, int resource, rlim_t value)
{
        struct rlimit limit;
        getrlimit(resource, &limit);
        limit.rlim_cur = value;
        if (setrlimit(resource, &limit) < 0)
                bench_skip(b, "the limit cannot be raised beyond %llu", (unsigned long long)limit.rlim_max);
}
BENCH(descriptors, .area = "a")
{
        int n = 0;
        raise_limit(b, RLIMIT_NOFILE, 3000);
        while (n < 2500 && dup(0) >= 0)
                n++;
        bench_counter(b, "n", n);
        bench_loop(b)
                bench_clobber();
}
BENCH(file, .area = "a")
{
        int fd = memfd_create("large", 0);
        bench_counter(b, "before", ftruncate(fd, 512l << 20) == 0);
        raise_limit(b, RLIMIT_FSIZE, 1l << 30);
        bench_counter(b, "after", ftruncate(fd, 512l << 20) == 0);
        bench_loop(b)
                bench_clobber();
}
"""


def named(run):
    return {name.split("/", 1)[1]: row for name, row in run.benchmarks.items()}


def control(run, name):
    return next((control for control in run.result.environment.controls if control.name == name), None)


def counters(row):
    return {counter.name: counter.value for counter in row.counters}


@contextlib.contextmanager
def daemon_with(build_for_all, directory, config="", **options):
    with SteadyDaemon(build_for_all, directory, config=f"[run]\n{config}\n", **options) as daemon, daemon.connect(uid=options.get("as_uid")) as client:
        yield client


@contextlib.contextmanager
def without_groups(build_for_all, config):
    """A client of the daemon of a user who may make no control group, where there is one."""
    with open_directory() as directory:
        user = {}
        if os.geteuid() == 0:
            os.chown(directory, ORDINARY_USER, ORDINARY_USER)
            user = {"user": ORDINARY_USER, "group": ORDINARY_USER, "extra_groups": [], "as_uid": ORDINARY_USER}
        with daemon_with(build_for_all, directory, config, **user) as client:
            yield client


def test_a_stack_is_8_mib_and_its_end_is_told_with_the_option(client, modules):
    run = client.run(modules(STACK, "-pthread"), filters=["a/frame", "a/thread"], **FEW)
    rows = named(run)

    assert counters(rows["frame/mib=6"]) == {"limit_mib": 8}
    assert not rows["thread/mib=6"].HasField("failed")
    for name in "frame/mib=12", "thread/mib=12":
        assert rows[name].failed.code == "crashed"
    assert control(run, "stack") is None


def test_a_recursion_that_is_too_deep_names_the_size_of_its_stack(client, modules):
    rows = named(client.run(modules(STACK, "-pthread"), filters=["a/recursion"], **FEW))

    assert not rows["recursion/mib=6"].HasField("failed")
    message = rows["recursion/mib=12"].failed.message
    assert "its stack of 8 MiB is full. --stack=SIZE allows more, up to stack_max= of benchd.conf" in message


def test_a_larger_stack_is_the_bodys_and_its_threads(client, modules):
    run = client.run(modules(STACK, "-pthread"), stack_bytes=16 * MIB, **FEW)

    assert not any(row.HasField("failed") for row in run.benchmarks.values()), run.benchmarks
    assert counters(named(run)["frame/mib=12"]) == {"limit_mib": 16}
    assert control(run, "stack").outcome == pb.Control.APPLIED
    assert (control(run, "stack").was, getattr(control(run, "stack"), "is")) == ("8 MiB", "16 MiB")


def test_a_smaller_stack_is_found_out(client, modules):
    rows = named(client.run(modules(STACK, "-pthread"), filters=["a/recursion/mib=6"], stack_bytes=4 * MIB, **FEW))

    assert "its stack of 4 MiB is full" in rows["recursion/mib=6"].failed.message


def test_a_stack_beyond_the_daemons_bound_is_refused_with_it(build_for_all, modules):
    with open_directory() as directory, daemon_with(build_for_all, directory, "stack_max=32M") as client:
        with pytest.raises(Failed) as refused:
            client.run(modules(STACK, "-pthread"), stack_bytes=33 * MIB)
        assert refused.value.message == "stack_bytes: 33 MiB are more than the 32 MiB that stack_max= of benchd.conf allows."
        run = client.run(modules(STACK, "-pthread"), filters=["a/frame/mib=12"], stack_bytes=32 * MIB, **FEW)
        assert not named(run)["frame/mib=12"].HasField("failed")


@pytest.mark.parametrize("size", ["3", "1023K", "65G", "64m", "-1M", "1.5G"])
def test_a_size_that_is_none_is_refused_with_the_range(build, modules, size):
    benchctl = Benchctl(build, "--private")

    assert "--stack takes a size from 1M to 64G, such as 64M" in benchctl("run", modules(RESERVE), f"--stack={size}", expect=USAGE).stderr


def test_a_stack_is_given_without_a_daemon_too(build, modules):
    benchctl = Benchctl(build)
    module = modules(STACK, "-pthread")

    assert "iteration" in benchctl("run", "--here", "--stack=16M", "--samples=1", module, "--", "recursion/mib=12").stdout


def test_address_space_that_is_only_reserved_costs_nothing(client, modules):
    run = client.run(modules(RESERVE), **FEW)

    if control(run, "memory limit").outcome != pb.Control.APPLIED:
        pytest.skip("no control group here bounds memory")
    assert not any(row.HasField("failed") for row in run.benchmarks.values()), run.benchmarks


def test_without_a_group_its_bound_is_told_and_can_be_set(build_for_all, modules):
    with without_groups(build_for_all, "address_space_max=64G") as client:
        run = client.run(modules(RESERVE), **FEW)
        if control(run, "memory limit").outcome == pb.Control.APPLIED:
            pytest.skip("an ordinary user may make control groups here")
        assert getattr(control(run, "memory limit"), "is") == "64 GiB of address space for each process"
        assert not named(run)["reserve/gib=1"].HasField("failed")
        message = named(run)["reserve/gib=1024"].failed.message
        assert "an address space of at most 64 GiB; address_space_max= of benchd.conf sets it" in message
    with without_groups(build_for_all, "address_space_max=128T") as client:
        run = client.run(modules(RESERVE), **FEW)
        assert getattr(control(run, "memory limit"), "is") == "none"
        assert not any(row.HasField("failed") for row in run.benchmarks.values()), run.benchmarks


def test_a_benchmark_raises_limits_of_files_as_a_program_does(client, modules):
    run = client.run(modules(RAISES), **FEW)
    rows = named(run)

    bound = control(run, "memory limit")
    if not bound or bound.outcome != pb.Control.APPLIED:
        pytest.skip("no control group here bounds memory")
    assert counters(rows["descriptors"]) == {"n": 2500}
    assert counters(rows["file"]) == {"before": 0, "after": 1}
