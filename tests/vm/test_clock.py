# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine whose time-stamp counter is not invariant: qemu without acceleration promises nothing of it."""

import json

import pytest

from installed import benchctl

CHAINS = '/srv/chains.so'


@pytest.fixture(scope='module')
def result(guest, build):
    guest.put(build / 'examples/chains.so', CHAINS)
    done = benchctl(guest, 'run', '--format=json', CHAINS, timeout=1200)
    assert done.code == 0, done.stderr
    return json.loads(done.stdout)


def test_the_result_says_that_another_clock_served_and_why(result):
    tsc = result['environment']['tsc']
    assert tsc['invariant'] is False
    assert tsc['clock'] == 'CLOCK_MONOTONIC_RAW'
    assert tsc['hz'] == 1e9 and tsc['quantum_ticks'] >= 1
    assert tsc['fallback_reason'] == 'the time-stamp counter is not invariant'
    assert tsc['ruler_turns'] is None and tsc['baseline_ns'] is None
    assert [warning for warning in result['warnings'] if 'not invariant' in warning]


def test_times_are_in_order_and_cycles_are_not_guessed(result):
    rows = {row['name']: row for row in result['benchmarks']}
    assert [row['failed'] for row in rows.values()] == [None] * len(rows)
    assert {row['cycles']['source'] for row in rows.values()} == {'unavailable'}
    for row in rows.values():
        raw = row['time_ns']['raw']
        assert 0 < raw['min'] <= raw['p5'] <= raw['median'] <= raw['p95'] <= raw['max']


def test_the_status_says_so_too(result, guest):
    done = benchctl(guest, 'status')
    assert 'clock' in done.stdout and 'CLOCK_MONOTONIC_RAW' in done.stdout
    assert 'warning: timed by CLOCK_MONOTONIC_RAW' in done.stdout
