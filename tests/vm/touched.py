# SPDX-License-Identifier: GPL-3.0-or-later
"""What benchd touches of a machine: how it is, and what is not as it was."""

import json

from installed import await_that

POLICY = '/sys/devices/system/cpu/cpufreq/policy{}/scaling_governor'
# What comes and goes without anybody's having touched it: threads, and control groups' files with their controllers.
PASSING = ('thread ', '/sys/fs/cgroup/', 'run-', 'session-')


def snapshot(machine):
    done = machine.run('/opt/snapshot.py')
    assert done.code == 0, done.stderr
    return json.loads(done.stdout)


def differences(before, after):
    """{what: (before, after)} of that which was there both times, and of what came or went and is not empty."""
    changed = {}
    for key in before.keys() | after.keys():
        pair = before.get(key), after.get(key)
        if None in pair and (key.startswith(PASSING) or not (pair[0] or pair[1])):
            continue
        if pair[0] != pair[1]:
            changed[key] = pair
    return changed


def await_governors(machine, before):
    """Until they are as @before. They are put back among the last, and are looked at within a moment, which all else is not."""
    wanted = {path: value for path, value in before.items() if path.endswith('/scaling_governor')}

    def found():
        return machine.run('cat', *wanted).stdout.split()

    await_that('the governors as before', lambda: found() == list(wanted.values()), found)


def await_as_before(machine, before):
    """Until the machine is as it was @before: what benchd changed it puts back within a moment, not at once."""
    left = {}
    await_governors(machine, before)

    def as_before():
        left.clear()
        left.update(differences(before, snapshot(machine)))
        return not left

    await_that('as before', as_before, lambda: left)


def governor(machine, cpu=0):
    return machine.read_file(POLICY.format(cpu)).strip()


def governors(machine):
    return set(machine.run('sh', '-c', 'cat ' + POLICY.format('[0-9]*')).stdout.split())
