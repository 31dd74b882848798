# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole commands under systemd and cgroup v2: on the lent CPU, in the group and the bounds of their run, and gone with it."""

import json

import pytest

from installed import await_that, benchctl, measure, stop
from touched import await_as_before, snapshot

GROUP = '0::/benchd.slice/benchd-launch.service/'
CONFIG = '/etc/benchd/benchd.conf.d/bounds.conf'
PLACE = '/tmp/commands'
FEW = ['--processes=3', '--samples=1', '--format=json']
SLEEP = 'sleep 98765'
SLEEPS_IN_A_RUN = f'case $(cat /proc/self/cgroup) in {GROUP}*) exec {SLEEP};; esac'


@pytest.fixture
def place(guest):
    guest.run('install', '-d', '-o', 'member', PLACE)
    yield PLACE
    guest.run('rm', '-r', PLACE)


@pytest.fixture
def bounded(guest):
    guest.run('install', '-D', '/dev/stdin', CONFIG, stdin=b'[run]\nmemory_max=128M\n')
    stop(guest)
    yield guest
    guest.run('rm', CONFIG)
    stop(guest)


def sleepers(machine):
    return machine.run('pgrep', '-fx', SLEEP).stdout.split()


def test_a_command_of_an_ordinary_user_is_on_the_lent_cpu_in_the_group_of_its_run(guest, place):
    benchctl(guest, 'status')
    before = snapshot(guest)
    script = f'cat /proc/self/cgroup >> {place}/groups; grep Cpus_allowed_list /proc/self/status >> {place}/cpus; id -un >> {place}/users'
    done = benchctl(guest, 'exec', script, *FEW)
    assert done.code == 0, done.stderr
    environment = json.loads(done.stdout)['environment']
    lines = {name: guest.run('cat', f'{place}/{name}').stdout.splitlines() for name in ('groups', 'cpus', 'users')}

    of_runs = [line for line in lines['groups'] if line.startswith(GROUP)]
    assert len(set(of_runs)) == 3, (lines, 'each process of the run has a group of its own')
    assert set(lines['users']) == {'member'}
    assert set(lines['cpus'][-len(of_runs):]) == {f'Cpus_allowed_list:\t{environment["cpus"][0]}'}
    assert environment['isolation'] == 'shield'
    await_as_before(guest, before)


def test_a_command_has_no_more_memory_than_a_run(bounded):
    done = benchctl(bounded, 'exec', 'x=$(head -c 300000000 /dev/zero | tr "\\0" a); echo ${#x}', *FEW)
    assert done.code != 0 and '128 MiB' in done.stdout + done.stderr, (done.stdout, done.stderr)
    measure(bounded)


def test_a_launcher_that_is_killed_leaves_neither_the_command_nor_its_settings(guest):
    benchctl(guest, 'status')
    before = snapshot(guest)
    command = guest.start('benchctl', 'exec', SLEEPS_IN_A_RUN, user='member', timeout=600)
    await_that('the command runs in the group', lambda: sleepers(guest))
    guest.run('sh', '-c', 'kill -9 $(systemctl show --property=MainPID --value benchd-launch)')
    assert command.wait().code != 0
    await_that('the command is dead', lambda: not sleepers(guest))
    await_that('the daemon is back', lambda: benchctl(guest, 'status').code == 0)
    await_as_before(guest, before)
