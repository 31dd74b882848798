# SPDX-License-Identifier: GPL-3.0-or-later
"""set-governor under the kernel's own cpufreq."""

import pytest

from held import Held
from installed import benchctl, stop
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
