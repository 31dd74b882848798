# SPDX-License-Identifier: GPL-3.0-or-later
"""benchd as it is installed: two services that their sockets start and that end without leaving anything."""

import json

import pytest

from installed import (MINIMAL, SERVICES, SOCKETS, await_that, benchctl, failed_units, measure, runners, shown, start_run,
                       states, stop)
from vm import Machine

SPINNER = '/srv/spinner.so'
SPINNER_SOURCE = '''
BENCH(spinner, .about = "never ends") {
        bench_loop(b)
                for (;;)
                        bench_clobber();
}
'''


@pytest.fixture
def stopped(guest, modules):
    """The shared machine with both halves stopped, and only the sockets there."""
    guest.put(modules(SPINNER_SOURCE, name='spinner'), SPINNER)
    stop(guest)
    return guest


def pids(machine):
    return [shown(machine, unit, 'MainPID') for unit in SERVICES]


# ---- how it starts and stops

def test_a_client_starts_both_halves(stopped):
    done = benchctl(stopped, 'status')
    assert done.code == 0, done.stderr
    assert states(stopped, *SERVICES) == ['active', 'active']


def test_starting_benchd_starts_both_halves_and_stopping_it_stops_both(stopped):
    assert stopped.run('systemctl', 'start', 'benchd').code == 0
    assert states(stopped, *SERVICES) == ['active', 'active']
    stopped.run('systemctl', 'stop', 'benchd')
    await_that('both halves are stopped', lambda: states(stopped, *SERVICES) == ['inactive', 'inactive'])
    assert failed_units(stopped) == ''


def test_both_halves_stand_in_a_slice_beside_the_systems(stopped):
    benchctl(stopped, 'status')
    assert [shown(stopped, unit, 'ControlGroup') for unit in SERVICES] == [f'/benchd.slice/{unit}' for unit in SERVICES]


# ---- whom it serves

def test_a_user_of_the_group_runs_an_example(guest):
    done = benchctl(guest, 'run', '--quick', MINIMAL)
    assert done.code == 0, done.stderr
    assert 'strlen_1000' in done.stdout


def test_one_outside_the_group_is_refused_in_words(guest):
    done = benchctl(guest, 'run', MINIMAL, user='outsider')
    assert (done.code, done.stdout) == (4, '')
    assert "group 'benchd'" in done.stderr


# ---- when it ends in the middle

def test_stopping_in_the_middle_leaves_no_runner(stopped):
    client = start_run(stopped, SPINNER)
    stopped.run('systemctl', 'stop', 'benchd')
    assert runners(stopped, '-u', 'member') == []
    done = client.wait()
    assert done.code == 4 and done.stderr, done
    assert failed_units(stopped) == ''
    measure(stopped)


@pytest.mark.parametrize('unit', SERVICES)
def test_a_half_that_is_killed_leaves_no_runner_and_the_next_run_is_right(stopped, unit):
    client = start_run(stopped, SPINNER)
    stopped.run('systemctl', 'kill', '--kill-whom=main', '--signal=KILL', unit)
    done = client.wait()
    assert done.code in (3, 4) and done.stderr, done
    measure(stopped)
    assert runners(stopped, '-u', 'member') == []


# ---- the watchdog, made impatient

@pytest.fixture
def impatient(stopped):
    drop_ins = [f'/run/systemd/system/{unit}.d/impatient.conf' for unit in SERVICES]
    for path in drop_ins:
        stopped.run('install', '-D', '/dev/stdin', path, stdin=b'[Service]\nWatchdogSec=10s\n')
    stopped.run('systemctl', 'daemon-reload')
    yield stopped
    stopped.run('rm', *drop_ins)
    stopped.run('systemctl', 'daemon-reload')
    stop(stopped)


def test_both_halves_feed_the_watchdog_when_idle(impatient):
    def fed():
        return [shown(impatient, unit, 'WatchdogTimestampMonotonic') for unit in SERVICES]

    benchctl(impatient, 'status')
    before, began = pids(impatient), fed()
    for i, unit in enumerate(SERVICES):
        await_that(f'a sign of life from {unit}', lambda: fed()[i] != began[i])
    assert pids(impatient) == before


@pytest.mark.parametrize('i', range(len(SERVICES)), ids=SERVICES)
def test_a_half_that_hangs_is_replaced(impatient, i):
    benchctl(impatient, 'status')
    before = pids(impatient)
    impatient.run('kill', '-STOP', before[i])
    await_that('another process', lambda: pids(impatient)[i] not in (before[i], '0'))
    measure(impatient)


# ---- when the machine ends

@pytest.fixture(scope='module')
def restless(image, tmp_path_factory, build):
    with Machine(image, tmp_path_factory.mktemp('again')) as machine:
        machine.put(build / 'examples/minimal.so', MINIMAL)
        machine.run('sync')
        yield machine


@pytest.fixture(scope='module', params=['reboot', 'power_cut'])
def again(restless, request):
    """A machine on which something was measured, and what was told of it, after it ended and is back."""
    told = measure(restless)
    getattr(restless, request.param)()
    return restless, told


def test_the_daemon_is_there_when_the_machine_is_back(again):
    machine, _ = again
    assert states(machine, *SOCKETS) == ['active'] * 2
    assert failed_units(machine) == ''
    measure(machine)


def test_a_result_that_was_told_is_in_the_history_afterwards(again):
    machine, told = again
    assert told['run_id'][:8] in benchctl(machine, 'history').stdout
    shown_again = benchctl(machine, 'show', '--format=json', told['run_id'])
    assert json.loads(shown_again.stdout)['benchmarks'] == told['benchmarks']
