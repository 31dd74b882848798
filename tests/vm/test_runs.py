# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that do not want to end, under systemd and cgroup v2: told by their own reason, all of each is dead then, the next user's is right."""

import json
import pathlib

import pytest

from installed import SERVICES, await_that, benchctl, measure, shown, stop

SOURCE = pathlib.Path(__file__).parent.parent / 'hostile' / 'modules' / 'runs.c'
RUNS = '/srv/runs.so'
CONFIG = '/etc/benchd/benchd.conf.d/bounds.conf'
BOUNDS = b'[run]\nmemory_max=128M\ntasks_max=100\n'
GROUPS = '/sys/fs/cgroup/benchd.slice/benchd-launch.service'

# Whoever holds the launcher's runner, under whatever name.
LIVING = "for p in /proc/[0-9]*; do case $(readlink $p/exe) in */benchd-runner) echo ${p#/proc/};; esac; done"


@pytest.fixture(scope='module')
def bounded(guest, modules):
    guest.put(modules(SOURCE), RUNS)
    guest.run('install', '-D', '/dev/stdin', CONFIG, stdin=BOUNDS)
    stop(guest)
    yield guest
    guest.run('rm', CONFIG)
    stop(guest)


def living(machine):
    return machine.run('sh', '-c', LIVING).stdout.split()


def groups(machine):
    return machine.run('find', GROUPS, '-mindepth', '1', '-type', 'd', '-printf', '%f\n').stdout.split()


def the_end_of(machine, name, timeout_s=20):
    done = benchctl(machine, 'run', '--quick', '--format=json', f'--timeout={timeout_s}', RUNS, '--', f'runs/{name}')
    left = living(machine), groups(machine)
    assert left == ([], ['launcher']), (left, done.stderr)
    return json.loads(done.stdout)['benchmarks'][0]


@pytest.mark.parametrize('name, code', [('bomb', 'timeout'), ('held_at_exit', 'timeout'), ('daemons_and_spin', 'timeout'),
                                        ('eats', 'memory'), ('children_eat', 'memory'), ('floods', 'misuse')])
def test_a_run_that_does_not_want_to_end_is_dead_when_its_end_is_told(bounded, name, code):
    failed = the_end_of(bounded, name, timeout_s=600 if code != 'timeout' else 20)['failed']
    assert failed['code'] == code
    if name == 'bomb':
        assert 'the limit of 101 processes and threads' in failed['message']
    measure(bounded, user='root')


def test_a_run_that_leaves_daemons_behind_is_measured_and_leaves_none(bounded):
    assert the_end_of(bounded, 'daemons', timeout_s=600)['failed'] is None


def test_a_module_cannot_keep_the_oom_killer_away_from_itself(bounded):
    assert the_end_of(bounded, 'offers_itself', timeout_s=600)['counters']['score'] in (1000, -1)


def test_all_bounds_are_applied(bounded):
    controls = {control['name']: control for control in measure(bounded)['environment']['controls']}
    assert [controls[name]['outcome'] for name in ('run group', 'cpuset', 'memory limit', 'process limit')] == ['applied'] * 4
    assert controls['process limit']['is'] == '101 processes and threads'


def test_a_runner_that_hears_no_signal_dies_with_a_launcher_that_is_killed(bounded):
    run = bounded.start('benchctl', 'run', '--quick', '--timeout=600', RUNS, '--', 'runs/deaf', user='member', timeout=1200)
    await_that('a deaf runner', lambda: bounded.run('pgrep', '-x', 'deaf').stdout)
    bounded.run('kill', '-KILL', shown(bounded, SERVICES[1], 'MainPID'))
    run.wait()
    await_that('it is dead', lambda: living(bounded) == [], lambda: living(bounded))
    measure(bounded)


def test_a_stopped_service_does_not_wait_for_a_runner_that_hears_no_signal(bounded):
    run = bounded.start('benchctl', 'run', '--quick', '--timeout=600', RUNS, '--', 'runs/deaf', user='member', timeout=1200)
    await_that('a deaf runner', lambda: bounded.run('pgrep', '-x', 'deaf').stdout)
    bounded.run('systemctl', 'stop', *SERVICES)
    assert shown(bounded, SERVICES[1], 'Result') == 'success', 'it did not wait for TimeoutStopSec='
    run.wait()
    assert living(bounded) == []
    measure(bounded)
