# SPDX-License-Identifier: GPL-3.0-or-later
"""set-governor under the kernel's own cpufreq."""

import pytest

from held import Held
from installed import LAUNCH, SERVICES, await_that, benchctl, measure, shown, stop
from touched import await_as_before, governor, governors, snapshot


def set_governor(machine, *words, user='root'):
    return benchctl(machine, 'set-governor', *words, user=user)


@pytest.fixture
def restored(idle):
    yield idle
    set_governor(idle, '--restore')


def test_a_governor_is_in_force_from_when_it_is_set_to_when_it_is_restored(restored):
    before = snapshot(restored)
    assert set_governor(restored, 'performance').code == 0
    assert governors(restored) == {'performance'}
    assert set_governor(restored, '--restore').code == 0
    assert governors(restored) == {'schedutil'}
    await_as_before(restored, before)


def test_neither_a_run_nor_the_daemons_end_undoes_what_was_set(restored):
    before = snapshot(restored)
    assert set_governor(restored, 'performance').code == 0
    Held(restored).result()
    stop(restored)
    assert governors(restored) == {'performance'}
    assert set_governor(restored, '--restore').code == 0
    await_as_before(restored, before)


def kill_launcher(machine):
    pid = shown(machine, 'benchd-launch.service', 'MainPID')
    machine.run('kill', '-KILL', pid)
    await_that('another one', lambda: shown(machine, 'benchd-launch.service', 'MainPID') not in ('0', pid))
    await_that('its answer', lambda: benchctl(machine, 'status').code == 0)


@pytest.mark.parametrize('end', [stop, kill_launcher, lambda machine: machine.run('systemctl', 'restart', *SERVICES)],
                         ids=['stopped', 'killed', 'restarted'])
def test_what_was_set_outlives_the_daemon_and_its_restoring_and_is_put_back_when_that_is_asked_for(restored, end):
    before = snapshot(restored)
    assert set_governor(restored, 'performance').code == 0
    measure(restored)
    end(restored)
    assert governors(restored) == {'performance'}
    if end is stop:
        done = restored.run(LAUNCH, '--restore')
        assert done.code == 0, done.stderr
        assert governors(restored) == {'performance'}
    assert 'performance' in benchctl(restored, 'status').stdout
    assert set_governor(restored, '--restore').code == 0
    assert governors(restored) == {'schedutil'}
    await_as_before(restored, before)


def test_what_is_set_during_a_run_is_what_is_left_after_it(restored):
    assert set_governor(restored, 'performance').code == 0
    held = Held(restored)
    assert set_governor(restored, '--restore').code == 0
    assert governor(restored, held.cpu) == 'performance'
    held.result()
    stop(restored)
    assert governors(restored) == {'schedutil'}


@pytest.mark.parametrize('user', ['member', 'outsider'])
def test_another_user_is_refused_in_words(restored, user):
    done = set_governor(restored, 'performance', user=user)
    assert (done.code, done.stdout) == (4, '')
    assert done.stderr.startswith('benchctl: ')
    assert governors(restored) == {'schedutil'}


def test_a_governor_that_does_not_exist_gets_the_list_of_those_that_do(restored):
    done = set_governor(restored, 'nonesuch')
    assert done.code == 2
    assert 'performance' in done.stderr and 'schedutil' in done.stderr
