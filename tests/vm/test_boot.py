# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest itself, before anything is asked of benchd."""

from vm import CPUS_MAX


def test_vm_boots(vm):
    state = vm.run('systemctl', 'is-system-running')
    failed = vm.run('systemctl', 'list-units', '--failed', '--plain', '--no-legend')
    assert (state.stdout.strip(), failed.stdout) == ('running', '')


def test_the_guest_has_every_library_that_benchd_links(vm):
    """A new dependency of benchd is a line in packages-guest.txt too."""
    programs = vm.run('bash', '-c', 'type -P benchctl benchd benchd-launch; find /usr -path "*/libexec/benchd/*" -type f').stdout.split()
    assert len(programs) >= 5
    assert 'not found' not in vm.run('ldd', *programs).stdout


def test_the_kernel_drives_the_guests_frequency(vm):
    """With its own driver, so that governors and limits are the kernel's."""
    for cpu in range(CPUS_MAX):
        policy = f'/sys/devices/system/cpu/cpu{cpu}/cpufreq'
        assert vm.read_file(f'{policy}/scaling_driver').strip() == 'acpi-cpufreq'
        assert vm.read_file(f'{policy}/scaling_governor').strip() == 'schedutil'
        assert 'performance' in vm.read_file(f'{policy}/scaling_available_governors').split()


def test_the_guests_control_groups_have_cpusets(vm):
    assert 'cpuset' in vm.read_file('/sys/fs/cgroup/cgroup.controllers').split()
