# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a body works on: those in memory are told, and what is written to a socket is no printing."""

import pytest

from support.client import PATIENT
from support.daemon import Daemon

TOUCHES = "files-used file-findings daemon/ops/block.c"

MODULE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

static char page[4096];

static int make(struct bench *b, const char *path)
{
        int fd = open(path, O_CREAT | O_RDWR, 0600);
        struct statfs system;

        if (fd < 0 || write(fd, page, sizeof page) < 0)
                bench_fail(b, "%s cannot be written", path);
        fstatfs(fd, &system);
        bench_counter(b, "is_tmpfs", system.f_type == 0x01021994);
        return fd;
}

static __attribute__((noinline)) void save(int fd) { (void)!pwrite(fd, page, sizeof page, 0); }

/* ---- in memory */
BENCH(durable) { int fd = make(b, "log"); bench_loop(b) { (void)!pwrite(fd, page, sizeof page, 0); fsync(fd); } }
BENCH(durable_below) { int fd; mkdir("db", 0700); fd = make(b, "db/log"); bench_loop(b) { save(fd); fdatasync(fd); } }
BENCH(saves) {
        close(make(b, "config"));
        bench_loop(b) { int fd = open("config", O_WRONLY | O_TRUNC); (void)!write(fd, page, 100); close(fd); }
}
BENCH(renames) { close(make(b, "one")); bench_loop(b) { rename("one", "two"); rename("two", "one"); } }
BENCH(looks_up) { close(make(b, "there")); bench_loop(b) close(open("there", O_RDONLY)); }
BENCH(mapped) {
        char *p = mmap(NULL, sizeof page, PROT_READ | PROT_WRITE, MAP_SHARED, make(b, "mapped"), 0);
        bench_loop(b) { (*p)++; msync(p, sizeof page, MS_SYNC); }
}
BENCH(kept_beside) { int fd = make(b, "/dev/shm/log"); bench_loop(b) save(fd); unlink("/dev/shm/log"); }
BENCH(anonymous) { int fd = memfd_create("log", 0); bench_counter(b, "is_tmpfs", 1); bench_loop(b) save(fd); }

/* ---- what is meant, or elsewhere */
BENCH(named, .about = "a sync on a tmpfs") { int fd = make(b, "log"); bench_loop(b) { save(fd); fsync(fd); } }
BENCH(labelled) { int fd = make(b, "log"); bench_label(b, "tmpfs"); bench_loop(b) { save(fd); fsync(fd); } }
BENCH(prepares) { uint64_t x = 1; close(make(b, "log")); bench_loop(b) { x = x * 3 + 1; bench_opaque(x); } }
BENCH(loads) { int fd = make(b, "log"); bench_loop(b) (void)!pread(fd, page, sizeof page, 0); }
BENCH(elsewhere) { struct stat s; bench_loop(b) { stat("/proc/self/exe", &s); bench_clobber(); } }

/* ---- to others */
BENCH(duplex) {
        char c = 1;
        int pair[2];

        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        bench_loop(b) if (write(pair[0], &c, 1) != 1 || read(pair[1], &c, 1) != 1) bench_fail(b, "no answer");
}
BENCH(datagram) {
        char c = 1;
        int pair[2];

        socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
        bench_loop(b) if (send(pair[0], &c, 1, 0) != 1 || recv(pair[1], &c, 1, 0) != 1) bench_fail(b, "no answer");
}
BENCH(stream) {
        int pair[2];
        FILE *out, *in;
        char line[64];

        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        out = fdopen(pair[0], "w"), in = fdopen(pair[1], "r");
        bench_loop(b) if (fprintf(out, "%d\n", 17) < 0 || fflush(out) || !fgets(line, sizeof line, in)) bench_fail(b, "no answer");
}
BENCH(tube) {
        char c = 1;
        int ends[2];

        (void)!pipe(ends);
        bench_loop(b) if (write(ends[1], &c, 1) != 1 || read(ends[0], &c, 1) != 1) bench_fail(b, "no answer");
}
BENCH(counted) {
        uint64_t n = 1;
        int fd = eventfd(0, 0);

        bench_loop(b) if (write(fd, &n, 8) != 8 || read(fd, &n, 8) != 8) bench_fail(b, "no answer");
}

/* ---- and yet */
BENCH(tells) { bench_loop(b) { printf("."); fflush(stdout); } }
BENCH(logs) { int fd = open("/dev/null", O_WRONLY); bench_loop(b) (void)!write(fd, page, 1); }
"""

IN_MEMORY = ["durable", "durable_below", "saves", "renames", "looks_up", "mapped", "kept_beside", "anonymous"]
NOT_TOLD = ["named", "labelled", "prepares", "loads", "elsewhere", "duplex", "datagram", "stream", "tube", "counted", "tells", "logs"]
CHANNELS = {"duplex": "socket", "datagram": "socket", "stream": "socket", "tube": "pipe", "counted": "event"}


@pytest.fixture(scope="module")
def rows(build, modules, tmp_path_factory):
    with Daemon(build, tmp_path_factory.mktemp("files")) as daemon, daemon.connect() as client:
        run = client.run(modules(MODULE), processes=3, samples=20, **PATIENT)
    return {row.name: row for row in run.benchmarks.values()}


def kinds(row):
    assert not row.HasField("failed"), row.failed.message
    return {finding.kind for finding in row.findings}


@pytest.mark.parametrize("name", IN_MEMORY)
def test_a_loop_that_works_on_files_in_memory_is_told(rows, name):
    row = rows[name]
    if not any(counter.name == "is_tmpfs" and counter.value for counter in row.counters):
        pytest.skip("the directory of a run is on a disk here")

    assert "memory-files" in kinds(row)
    text, = [text for text, finding in zip(row.warnings, row.findings) if finding.kind == "memory-files"]
    assert "in memory" in text and "--dir=" in text and "tmpfs" in text
    assert "memory" in row.files


@pytest.mark.parametrize("name", NOT_TOLD)
def test_a_loop_that_means_memory_or_leaves_files_alone_is_not(rows, name):
    assert "memory-files" not in kinds(rows[name])


@pytest.mark.parametrize("name", CHANNELS)
def test_to_send_is_not_to_print(rows, name):
    assert CHANNELS[name] in rows[name].files
    assert not {"calls-output", "calls-input", "prints"} & kinds(rows[name])


def test_what_prints_or_writes_to_a_device_is_still_told(rows):
    assert {"prints", "calls-output"} & kinds(rows["tells"])
    assert "calls-output" in kinds(rows["logs"])
    assert any("writing is timed with it. Write after the loop" in text for text in rows["logs"].warnings), rows["logs"].warnings
