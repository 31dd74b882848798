# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of other makes: with CPUs that were isolated at boot, and with a single one."""

import pytest

from held import Held, bring
from installed import MINIMAL, measure, shown
from touched import await_as_before, snapshot
from vm import Hardware, Machine

ISOLATED = {2, 3}


@pytest.fixture
def machine(image, tmp_path, build, modules, request):
    """One of the test's own, with the hardware that it names."""
    with Machine(image, tmp_path, request.param) as machine:
        machine.put(build / 'examples/minimal.so', MINIMAL)
        bring(machine, modules)
        yield machine


@pytest.mark.parametrize('machine', [Hardware(kernel_arguments='isolcpus=managed_irq,domain,2-3 nohz_full=2-3')],
                         indirect=True, ids=['isolated'])
def test_cpus_that_were_isolated_at_boot_are_chosen_and_nobody_else_is_moved(machine):
    before = snapshot(machine)
    held = Held(machine)
    assert held.cpu in ISOLATED
    assert shown(machine, 'system.slice', 'AllowedCPUs') == ''
    environment = held.result()['environment']
    assert set(environment['cpus']) <= ISOLATED
    assert environment['isolation'] == 'boot'
    await_as_before(machine, before)


@pytest.mark.parametrize('machine', [Hardware(cpus=1)], indirect=True, ids=['single'])
def test_a_machine_with_one_cpu_measures_on_it_and_says_that_it_is_shared(machine):
    before = snapshot(machine)
    result = measure(machine)
    environment = result['environment']
    assert (environment['cpus'], environment['scheduler']) == ([0], 'other')
    assert [warning for warning in result['warnings'] if warning.startswith('CPU 0 is the only one')]
    assert environment['isolation'] in ('affinity', 'none')
    await_as_before(machine, before)
