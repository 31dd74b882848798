# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest itself, before anything is asked of benchd."""


def test_vm_boots(vm):
    state = vm.run('systemctl', 'is-system-running')
    failed = vm.run('systemctl', 'list-units', '--failed', '--plain', '--no-legend')
    assert (state.stdout.strip(), failed.stdout) == ('running', '')


def test_the_guest_has_every_library_that_benchd_links(vm):
    """A new dependency of benchd is a line in packages-guest.txt too."""
    programs = vm.run('sh', '-c', 'command -v benchctl; find /usr -path "*/libexec/benchd/*" -type f').stdout.split()
    assert len(programs) >= 4
    assert 'not found' not in vm.run('ldd', *programs).stdout
