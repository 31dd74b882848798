# SPDX-License-Identifier: GPL-3.0-or-later
"""What a benchmark under the installed units may not do, asked call by call (tests/support/forbidden.py)."""

import json
import pathlib

import pytest

from installed import benchctl, shown
from support import forbidden

MODULE = '/srv/forbidden.so'
TABLE = '/srv/calls/forbidden.py'
ATTEMPT = f'''
import subprocess, sys
sys.path.insert(0, "{pathlib.Path(TABLE).parent}")
import forbidden

with forbidden.host_places("/run/benchd/benchd.sock", sys.argv[1]) as environment:
    sys.exit(subprocess.run(["benchctl", "run", "--quick", "--format=json", *(f"--env={{line}}" for line in environment), "{MODULE}"]).returncode)
'''


@pytest.mark.parametrize('user', ['member', 'root'])
def test_each_forbidden_call_gets_its_errno_under_the_units(guest, modules, user):
    guest.put(modules(forbidden.MODULE), MODULE)
    guest.put(pathlib.Path(forbidden.__file__), TABLE)
    benchctl(guest, 'status')
    done = guest.run('python3', '-B', '-c', ATTEMPT, shown(guest, 'benchd-launch.service', 'MainPID'), user=user)
    assert done.code == 0, done.stderr
    result = json.loads(done.stdout)
    controls = {control['name']: control['outcome'] for control in result['environment']['controls']}
    place = forbidden.place_of(controls, forbidden.UNIT)
    surprises = forbidden.surprises(forbidden.parse(result['benchmarks'][0]['output']), place)
    assert not surprises, f'{place}:\n' + '\n'.join(surprises)
