# SPDX-License-Identifier: GPL-3.0-or-later
"""A runner that cannot be born is the daemon's fault, and is told as that; no module can pass for it."""

import os
import re
import shutil

import pytest

from support import faults
from support.client import BRIEF, Failed
from support.paths import IS_SANITIZED
from support.processes import NO_NAMESPACES, may_have_namespaces

TOUCHES = "birth zygote daemon/launch/birth/cell* spawning"

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("strace") or IS_SANITIZED,
                                reason="root's births fail, by strace, which the sanitizers do not stand")

in_cells = pytest.mark.skipif(not may_have_namespaces(), reason=NO_NAMESPACES)

BOUND = " No control group bounds memory"  # what may be the cause of ENOMEM


FAULTS = {
    "setsid:error=EPERM": "setsid: Operation not permitted.",
    "execveat:error=ENOMEM": "execveat: Cannot allocate memory.",
    "keyctl:error=EDQUOT": "a keyring of its own: Disk quota exceeded.",
    # in the runner and in the first process of its cell, whichever comes first
    "close_range:error=EMFILE": ": Too many open files.",
    # in the first process, before there is a runner
    "close_range:error=EMFILE clone:delay_enter=300000 clone3:delay_enter=300000": ": Too many open files.",
}

OF_A_CELL = {
    "mount:error=EACCES:when=1": "mount a tree of its own: Permission denied.",
    "mount:error=ENOMEM:when=2": "mount the system's directories: Cannot allocate memory.",
    "move_mount:error=EINVAL": "mount /proc: Invalid argument.",
    "pivot_root:error=EINVAL": "pivot_root: Invalid argument.",
    "umount2:error=EBUSY": "pivot_root: Device or resource busy.",
    "chdir:error=ENOENT:when=3": "chdir /tmp: No such file or directory.",
    "capset:error=EPERM": ": Operation not permitted.",  # in either of its processes
}


def births(daemon, tmp_path, inject):
    return faults.Strace(daemon.find("benchd-zygote")[0], tmp_path / "trace", inject, births=True)


@pytest.mark.parametrize("inject", [*FAULTS, *(pytest.param(inject, marks=in_cells) for inject in OF_A_CELL)])
def test_a_birth_that_fails_is_told_as_the_daemons_fault(daemon, modules, tmp_path, inject):
    words = {**FAULTS, **OF_A_CELL}[inject]
    module = modules(faults.EMPTY)
    with daemon.connect() as client:
        client.run(module, **BRIEF)
        with births(daemon, tmp_path, inject) as strace:
            with pytest.raises(Failed) as told:
                client.run(module, **BRIEF)
        assert strace.fired()
        assert told.value.code == "INTERNAL"
        assert re.search("The daemon could not start the runner: |benchd-launch could not start a runner: ", told.value.message)
        assert told.value.message.partition(BOUND)[0].endswith(words)
        assert re.search(f"a runner could not be born: .*{words.rstrip('.')}", daemon.errors())
        [row] = client.run(module, **BRIEF).benchmarks.values()
        assert not row.HasField("failed")


# It leaves as a birth that failed leaves, with nothing in the runner's block (RUNNER_FD_BLOCK of daemon/ops/runner-plan.h).
PRETENDER = """
#include <sys/mman.h>
#include <sys/stat.h>
#include <string.h>
#include <unistd.h>

BENCH(pretends) {
        struct stat status;

        bench_loop(b) {
                fstat(4, &status);
                memset(mmap(0, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0), 0, status.st_size);
                dprintf(2, "benchd-launch: a runner could not be born: execveat: Cannot allocate memory\\n");
                _exit(71);
        }
}

BENCH(leaves) {
        bench_loop(b) _exit(71);
}
"""


def test_a_module_cannot_pass_for_a_birth_that_failed(daemon, modules):
    with daemon.connect() as client:
        failed = {row.name: row.failed for row in client.run(modules("#include <stdio.h>\n" + PRETENDER), **BRIEF).benchmarks.values()}
    assert failed["pretends"].code == "bad-result"
    assert failed["leaves"].code == "exited" and "exit status 71" in failed["leaves"].message
