#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints what of the guest a daemon could change and forget to put back, as JSON: {what: value}.

Not a list of what benchd is known to touch but whole trees of the kernel's switches, so that one which it touches
in future is among them: the files that may be written, the CPUs of every thread, and units' properties.
"""

import glob
import json
import os
import stat
import subprocess

TREES = ['/sys/devices/system', '/sys/devices/virtual/workqueue', '/sys/kernel/mm', '/proc/sys/kernel', '/proc/sys/vm',
         '/proc/irq']
# These change by themselves, or when they are looked at; two, of the memory that is free during a boot, with each; and the kernel
# gives up the time-stamp counter where the emulator is slow.
RESTLESS = ['ns_last_pid', 'scaling_setspeed', 'uevent', 'pagetypeinfo', 'valid_zones',
            'user_reserve_kbytes', 'admin_reserve_kbytes', 'current_clocksource']
PF_NO_SETAFFINITY = 0x04000000
PROPERTIES = ['AllowedCPUs', 'AllowedMemoryNodes', 'CPUAffinity']


def read(path):
    """The text of the file; None if it is not to be read."""
    try:
        with open(path, 'rb', buffering=0) as file:
            return file.read(1 << 16).decode(errors='replace').strip()
    except OSError:
        return None


def files():
    for tree in TREES:
        for directory, _, names in os.walk(tree):
            for path in (f'{directory}/{name}' for name in names if name not in RESTLESS):
                mode = os.lstat(path).st_mode
                if stat.S_ISREG(mode) and mode & 0o444 and mode & 0o222:
                    yield path, read(path)


def control_groups():
    """What is in force: that no CPU is named means the same as that all are."""
    for name in ['cpuset.cpus.effective', 'cpuset.mems.effective', 'cpuset.cpus.partition']:
        for path in glob.glob(f'/sys/fs/cgroup/**/{name}', recursive=True):
            yield path, read(path)


def threads():
    """By number and name, since a number is used again. Those that the kernel ties to CPUs it alone moves, as it likes."""
    for directory in glob.glob('/proc/[0-9]*/task/[0-9]*'):
        fields = dict(line.split(':\t', 1) for line in (read(f'{directory}/status') or '').split('\n') if ':\t' in line)
        flags = (read(f'{directory}/stat') or '').rpartition(') ')[2].split()[6:7]
        if fields and flags and not int(flags[0]) & PF_NO_SETAFFINITY:
            yield f'thread {fields["Pid"]} {fields["Name"]}', fields['Cpus_allowed_list']


def units():
    shown = subprocess.run(['systemctl', 'show', '--property=' + ','.join(['Id', *PROPERTIES]), '*.slice', '*.scope',
                            '*.service', 'system.slice', 'user.slice', 'machine.slice', 'init.scope'],
                           capture_output=True, text=True, check=True).stdout
    for unit in shown.strip().split('\n\n'):
        fields = dict(line.split('=', 1) for line in unit.split('\n'))
        for name in PROPERTIES:
            yield f'{fields["Id"]} {name}', fields.get(name, '')


def device():
    with open('/dev/cpu_dma_latency', 'rb') as file:
        yield file.name, int.from_bytes(file.read(4), 'little')


print(json.dumps({key: value for kind in (files, control_groups, threads, units, device) for key, value in kind()
                  if value is not None}))
