# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever ends in the middle, at any moment, again and again: the machine is as it was before benchd first ran."""

import os
import random
import threading

import pytest

from installed import MINIMAL, PATIENCE_S, SERVICES, await_that, benchctl, failed_units, measure, shown, states, stop
from touched import await_as_before, governors, snapshot

KILLS = int(os.environ.get('BENCHD_VM_KILLS', '5'))
POWER_CUTS = int(os.environ.get('BENCHD_VM_POWER_CUTS', '1'))
SEED = int(os.environ.get('BENCHD_SEED', random.SystemRandom().getrandbits(32)))
LATEST_S = 3.0

ENOUGH = '/run/enough'
RUNS = f'until [ -e {ENOUGH} ]; do benchctl run --quick --quiet {MINIMAL}; done'


@pytest.fixture
def chance():
    print(f'BENCHD_SEED={SEED} BENCHD_VM_KILLS={KILLS} BENCHD_VM_POWER_CUTS={POWER_CUTS}')
    return random.Random(SEED)


def start_runs(machine):
    """One run after another."""
    machine.run('rm', '-f', ENOUGH)
    return machine.start('sh', '-c', RUNS, user='member', timeout=2 * PATIENCE_S).started()


def at_some_moment(chance, act):
    timer = threading.Timer(chance.uniform(0, LATEST_S), act)
    timer.start()
    timer.join()


def kill(machine, unit):
    """Returns the governors in the moment before."""
    pid = shown(machine, unit, 'MainPID')
    done = machine.run('sh', '-c', f'cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor; kill -KILL {pid}')
    assert done.code == 0, done
    await_that('its end', lambda: machine.run('test', '-e', f'/proc/{pid}').code)
    return set(done.stdout.split())


def test_either_half_is_killed_at_random_moments_and_the_machine_is_as_before(guest, chance):
    stop(guest)
    before, n_tuned = snapshot(guest), 0
    for _ in range(KILLS):
        benchctl(guest, 'status')
        runs, victim, seen = start_runs(guest), chance.choice(SERVICES), []
        at_some_moment(chance, lambda: seen.append(kill(guest, victim)))
        guest.run('touch', ENOUGH)
        runs.wait()
        await_as_before(guest, before)
        n_tuned += 'performance' in seen[0]
    assert n_tuned > 0
    assert 'failed' not in states(guest, *SERVICES)
    measure(guest)


def test_the_power_is_cut_at_random_moments_and_the_machine_starts_clean(own_vm, build, chance):
    own_vm.put(build / 'examples/minimal.so', MINIMAL)
    own_vm.run('sync')
    before = snapshot(own_vm)
    for _ in range(POWER_CUTS):
        start_runs(own_vm)
        await_that('a governor that is not as before', lambda: 'performance' in governors(own_vm))
        at_some_moment(chance, own_vm.kill)
        own_vm.boot()
        await_as_before(own_vm, before)
        assert failed_units(own_vm) == ''
    measure(own_vm)
