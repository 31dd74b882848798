# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that stands still in the middle while a story looks at the machine, and what the kernel saw of it."""

import json
import re

from installed import PATIENCE_S, await_that, runners

GATE = '/srv/gate.so'
PLACE = '/srv/held'  # which the run sees
OPEN = f'{PLACE}/open'
GATE_SOURCE = f'''
#include <poll.h>
#include <unistd.h>

BENCH(gate, .about = "waits in its set-up until it is let go on") {{
        while (access("{OPEN}", F_OK))
                poll(NULL, 0, 50);
        bench_loop(b)
                bench_clobber();
}}
'''
TRACING = '/sys/kernel/tracing'
SWITCH = re.compile(r'prev_comm=(.*) prev_pid=(\d+) .* ==> next_comm=(.*) next_pid=(\d+) ')


def bring(machine, modules):
    machine.put(modules(GATE_SOURCE, name='gate'), GATE)


class Held:
    """A quick run of the gate, which has its CPU when this is made."""

    def __init__(self, machine, *options, user='member', beside=()):
        self.machine = machine
        self.others = {held.pid for held in beside}
        machine.run('mkdir', '-p', PLACE)
        machine.run('rm', '-f', OPEN)
        self.command = machine.start('benchctl', 'run', '--quick', '--timeout=600', '--format=json', f'--see={PLACE}', *options, GATE, user=user,
                                     timeout=2 * PATIENCE_S)
        await_that('a runner with a CPU of its own', lambda: self.find(user))

    def find(self, user):
        """A process of the listing may be gone by now, and has no CPUs then."""
        for pid in runners(self.machine, '-u', user):
            allowed = self.machine.run('sed', '-n', r's/^Cpus_allowed_list:\t//p', f'/proc/{pid}/status').stdout.strip()
            if allowed.isdecimal() and pid not in self.others:
                self.pid, self.cpu = pid, int(allowed)
                return True
        return False

    def end(self):
        """Lets it go on, and returns what benchctl said of it."""
        self.machine.run('touch', OPEN)
        return self.command.wait()

    def result(self):
        done = self.end()
        assert done.code == 0, done.stderr
        return json.loads(done.stdout)


class Trace:
    """Who gets @cpu, told by the kernel's scheduler."""

    def __init__(self, machine, cpu):
        self.machine, self.cpu = machine, cpu

    def __enter__(self):
        self.shell(f'echo {1 << self.cpu:x} > tracing_cpumask; echo 16384 > buffer_size_kb; echo > trace; '
                   'echo 1 > events/sched/sched_switch/enable')
        return self

    def __exit__(self, *exception):
        text = self.shell('echo 0 > events/sched/sched_switch/enable; cat trace')
        self.switches = [(match[1], match[2], match[3], match[4]) for match in SWITCH.finditer(text)]
        self.kernel_threads = {'0', '2', *self.machine.run('pgrep', '-P', '2').stdout.split()}

    def shell(self, commands):
        done = self.machine.run('sh', '-e', '-c', f'cd {TRACING}; {commands}')
        assert done.code == 0, done.stderr
        return done.stdout

    def strangers(self):
        """The user tasks that had the CPU before the last runner left it, but for benchd's. A kernel thread is kthreadd at birth."""
        last = max(i for i, (leaves, *_) in enumerate(self.switches) if leaves == 'benchd-runner')
        return {name for _, _, name, pid in self.switches[:last]
                if pid not in self.kernel_threads and not name.startswith(('kthreadd', 'kworker/', 'benchd-'))}
