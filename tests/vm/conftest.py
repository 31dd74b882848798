# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines of the stories."""

import pytest

import held
import image as images
import installed
from vm import Dead, Machine


@pytest.fixture(scope='session')
def image(build, tmp_path_factory):
    obstacle = images.obstacle()
    if obstacle:
        pytest.skip(obstacle)
    made = images.make(build, tmp_path_factory.mktemp('image'))
    yield made
    made.disk.unlink()


@pytest.fixture(scope='session')
def vm(image, tmp_path_factory):
    """One machine for all stories that leave it as it was."""
    with Machine(image, tmp_path_factory.mktemp('vm')) as machine:
        yield machine


@pytest.fixture(scope='session')
def guest(vm, build):
    """The shared machine with the smallest example on it."""
    vm.put(build / 'examples/minimal.so', installed.MINIMAL)
    return vm


@pytest.fixture(scope='session')
def gate(guest, modules):
    held.bring(guest, modules)


@pytest.fixture
def idle(guest, gate):
    """The shared machine before anything of benchd has run."""
    installed.stop(guest)
    return guest


@pytest.fixture
def own_vm(image, tmp_path):
    """A machine that the story may ruin."""
    with Machine(image, tmp_path) as machine:
        yield machine


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A story that failed shows what the services told the journal."""
    report = (yield).get_result()
    machine = next((item.funcargs[name] for name in ('own_vm', 'machine', 'vm') if name in item.funcargs), None)
    if report.when == 'call' and report.failed and machine:
        report.sections.append(('journal of the guest', journal(machine)))


def journal(machine):
    units = [f'--unit={unit}' for unit in installed.SERVICES + installed.SOCKETS]
    try:
        return machine.run('journalctl', '--boot', '--no-pager', '--lines=60', *units).stdout
    except (Dead, OSError) as error:
        return f'none: {error}'
