# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines of the stories."""

import itertools

import pytest
from _pytest.runner import runtestprotocol

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


# ---- stories that fail

RENEWED = pytest.StashKey()  # of an item: its machine was renewed since one of its CPUs hung
TOLD_AGAIN = ('told again', 'a CPU of the guest hung')  # of a report


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A story that failed shows what the services told the journal, and leaves the next one a machine that has just booted. So does one
    after which a CPU hangs."""
    report = (yield).get_result()
    if not report.failed:
        return
    machine = next((item.funcargs[name] for name in ('own_vm', 'machine', 'vm') if name in item.funcargs), None)
    hangs = machine is not None and machine.hangs()
    if report.when == 'teardown' and not hangs:
        return
    if machine and not hangs:
        report.sections.append(('journal of the guest', journal(machine)))
    if machine and machine is item.funcargs.get('vm'):
        machine.power_cut()
    item.stash[RENEWED] = hangs


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Tells a story again, once, on whose machine a CPU hung: an emulator's fault proves nothing. The summary counts them."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    if item.stash.get(RENEWED, False):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        reports[-1].user_properties.append(TOLD_AGAIN)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter):
    for report in itertools.chain(*terminalreporter.stats.values()):
        if TOLD_AGAIN in map(tuple, getattr(report, 'user_properties', [])):
            terminalreporter.write_line(f'told again, since a CPU of the guest hung: {report.nodeid}')


def journal(machine):
    units = [f'--unit={unit}' for unit in installed.SERVICES + installed.SOCKETS]
    try:
        return machine.run('journalctl', '--boot', '--no-pager', '--lines=60', *units, timeout=60).stdout
    except (Dead, OSError) as error:
        return f'none: {error}'
