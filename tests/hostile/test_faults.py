# SPDX-License-Identifier: GPL-3.0-or-later
"""A few points of failure of the many that tests/faults tries: memory that is refused, system calls that fail, a process that is killed."""

import os

import pytest

from support import faults
from support.paths import IS_SANITIZED
from support.processes import may_have_namespaces

TOUCHES = "front-link launch-link tests/faults/*"

POINTS = 6  # of each program

pytestmark = pytest.mark.skipif(not faults.CPUS <= os.sched_getaffinity(0) or os.geteuid() != 0,
                                reason="a machine is switched by root, for CPU 1 beside CPU 0, which keeps house")


@pytest.mark.skipif(IS_SANITIZED, reason="the sanitizers have an allocator of their own")
@pytest.mark.parametrize("program", faults.PROGRAMS)
def test_an_allocation_that_fails_costs_a_client_its_answer_at_most(build, modules, program):
    with faults.subject(build, modules(faults.EMPTY), with_allocations=True) as (subject, allocations):
        n = faults.count_allocations(subject, allocations, program)
        numbers = range(1, n, max(n // POINTS, 1))
        failed = [faults.fail_allocation(subject, allocations, program, number)[0] for number in numbers]
    assert sum(failed) > len(failed) / 2, "the failures were not reached"


# Where each matters most: a module that cannot be taken, a knob that refuses, a journal that cannot be kept, a result that cannot be stored, a
# right that cannot be given up.
CALLS = {
    "benchd-launch": ["openat:error=EMFILE:when=1", "openat:error=EACCES:when=4", "recvmsg:error=ENOMEM:when=2", "pwrite64:error=ENOSPC:when=1",
                      "write:error=EBUSY:when=1", "write:signal=KILL:when=2", "sendmsg:signal=KILL:when=3"],
    "benchd": ["accept4:error=ENFILE:when=1", "pwrite64:error=ENOSPC:when=1", "fdatasync:error=EIO:when=1", "mmap:error=ENOMEM:when=1", "sendmsg:error=ENOBUFS:when=1",
               "recvmsg:signal=KILL:when=4"],
    "benchd-zygote": ["unshare:error=ENOSPC:when=1", "clone:error=EAGAIN:when=1", "capset:error=EPERM:when=1", "prctl:error=EPERM:when=2",
                      "execveat:error=ENOMEM:when=1", "mount_setattr:signal=KILL:when=1", "geteuid:signal=KILL:when=1"],
}
OF_A_CELL = {"unshare", "capset", "prctl", "mount_setattr"}  # those of the zygote that no birth makes without one


@pytest.mark.skipif(IS_SANITIZED, reason="the sanitizers do not stand a tracer")
@pytest.mark.parametrize("program", faults.TRACED)
def test_a_system_call_that_fails_or_is_the_last_leaves_the_machine_as_it_was(build, modules, program):
    calls = CALLS[program]
    if program == faults.ZYGOTE and not may_have_namespaces():
        calls = [what for what in calls if what.partition(":")[0] not in OF_A_CELL]
    with faults.subject(build, modules(faults.RIGHTLESS)) as (subject, _):
        try:
            reached = [faults.inject(subject, program, what)[0] for what in calls]
        except faults.Untraced as refused:
            pytest.skip(f"needs the right to trace: {refused}")
    assert sum(reached) > len(reached) / 2, f"the calls were not reached: {list(zip(calls, reached))}"
