# SPDX-License-Identifier: GPL-3.0-or-later
"""While the service measures, nothing else has its CPU; afterwards all is as before, also when it was killed."""

import pytest

from held import Held
from installed import SERVICES, await_that, benchctl, measure, stop
from touched import await_as_before, governor, snapshot

UNITS = ['system.slice', 'user.slice', 'init.scope', 'benchd.service']


def allowed(machine):
    return {unit: machine.run('systemctl', 'show', '--property=AllowedCPUs', '--value', unit).stdout.strip()
            for unit in UNITS}


def masks(machine):
    """What the kernel says of interrupts, unbound work, watchdog and timers."""
    return machine.run('sh', '-c', 'grep -H . /proc/irq/*/smp_affinity /sys/devices/virtual/workqueue/cpumask '
                       '/proc/sys/kernel/watchdog_cpumask /proc/sys/kernel/timer_migration').stdout


def test_a_lease_is_shielded_and_the_shield_is_lowered_after_it(guest):
    benchctl(guest, 'status')
    await_that('nothing is leased', lambda: set(allowed(guest).values()) == {''})
    before = masks(guest)
    environment = measure(guest)['environment']
    controls = {control['name']: control['outcome'] for control in environment['controls']}

    assert environment['isolation'] == 'shield'
    assert (controls['cpuset'], controls['shield'], controls['kernel-threads']) == ('applied',) * 3
    await_that('it is lowered', lambda: set(allowed(guest).values()) == {''})
    await_that('the masks are as before', lambda: masks(guest) == before)


def test_a_launcher_that_is_killed_while_the_shield_is_up_leaves_nothing_and_comes_back(guest):
    benchctl(guest, 'status')
    await_that('nothing is leased', lambda: set(allowed(guest).values()) == {''})
    before = masks(guest)
    measure(guest)
    guest.run('sh', '-c', 'kill -9 $(systemctl show --property=MainPID --value benchd-launch)')
    await_that('it is lowered', lambda: set(allowed(guest).values()) == {''})
    await_that('the masks are as before', lambda: masks(guest) == before)
    await_that('it is back', lambda: benchctl(guest, 'status').code == 0)
    assert measure(guest)['environment']['scheduler'] == 'fifo'
    assert guest.run('systemctl', 'is-active', *SERVICES).stdout.split() == ['active', 'active']


@pytest.mark.parametrize('verb', ['daemon-reload', 'daemon-reexec'])
def test_a_systemd_that_is_renewed_in_the_middle_leaves_no_unit_narrowed(idle, verb):
    held = Held(idle)
    assert set(allowed(idle).values()) != {''}
    assert idle.run('systemctl', verb).code == 0
    held.result()
    assert idle.run('systemctl', verb).code == 0
    await_that('the shield is lowered', lambda: set(allowed(idle).values()) == {''}, lambda: allowed(idle))


@pytest.fixture
def two_at_once(idle):
    config = '/etc/benchd/benchd.conf.d/two.conf'
    idle.run('install', '-D', '/dev/stdin', config, stdin=b'[queue]\nat_once=2\n')
    yield idle
    idle.run('rm', config)
    stop(idle)


def test_two_runs_have_cores_of_their_own_and_name_the_cache_that_they_share(two_at_once):
    before = snapshot(two_at_once)
    first = Held(two_at_once)
    second = Held(two_at_once, beside=[first])
    assert first.cpu != second.cpu
    assert {governor(two_at_once, held.cpu) for held in (first, second)} == {'performance'}
    results = [first.result(), second.result()]
    assert all(any('share an L3 cache' in warning for warning in result['warnings']) for result in results)
    await_as_before(two_at_once, before)
