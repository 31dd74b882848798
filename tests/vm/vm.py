# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual machine that a test owns: qemu without acceleration, so that it runs wherever the tests do.

The guest is reached through its agent (guest/agent.py) on a virtio-serial port; there is no network. Its writes go to an
overlay in the test's directory, which outlives the qemu process, so that killing that is a power cut.
"""

import base64
import collections
import dataclasses
import itertools
import json
import pathlib
import queue
import socket
import subprocess
import threading
import time

BOOT_TIMEOUT_S = 900
BOOT_TRIES = 3
LOOK_S = 10
COMMAND_TIMEOUT_S = 600
GRACE_S = 120  # for the agent to tell that a command overstayed

# What udev would load for this processor, and no story needs: without acceleration that is some of the time of each boot.
UNWANTED = ['kvm', 'kvm_intel', 'kvm_amd', 'aesni_intel', 'ghash_clmulni_intel', 'sha512_ssse3', 'sha256_ssse3',
            'sha1_ssse3', 'crct10dif_pclmul', 'crc32_pclmul', 'intel_rapl_msr', 'rapl', 'intel_powerclamp']
# The kernel's mitigations guard a processor that is not there, at two fifths of the emulator's time.
KERNEL_ARGUMENTS = ('root=/dev/vda rw console=ttyS0 systemd.getty_auto=no cryptomgr.notests mitigations=off '
                    f'modprobe.blacklist={",".join(UNWANTED)}')
# What the kernel says when a CPU hangs. Without acceleration one does now and then, where the kernel patches its own code
# or CPUs come and go.
HANGS = ['BUG: soft lockup', 'self-detected stall on CPU', 'detected stalls on CPUs/tasks', 'detected expedited stalls on CPUs/tasks']

# A processor for which the kernel looks for the performance states that guest/cpufreq.asl describes, to CPUS_MAX of them.
PROCESSOR = 'max,vendor=GenuineIntel,family=6,model=94'
CPUS_MAX = 4


@dataclasses.dataclass(frozen=True)
class Hardware:
    cpus: int = CPUS_MAX
    kernel_arguments: str = ''


class Dead(Exception):
    """The machine went away, or did not come up."""


class Stuck(Dead):
    """It did not come up, or one of its CPUs hangs."""


@dataclasses.dataclass(frozen=True)
class Result:
    code: int  # negative: the signal that ended it
    stdout: str
    stderr: str


class Command:
    """One that runs in the guest."""

    def __init__(self, machine, words, timeout):
        self.machine, self.words, self.timeout = machine, words, timeout
        self.events = queue.Queue()
        self.pid = None

    def event(self, timeout):
        try:
            event = self.machine.await_one(self.events, timeout)
        except queue.Empty:
            raise Dead(f'{self.words}: the guest says nothing\n{self.machine.console_tail()}') from None
        if event is None:
            raise Dead(f'{self.words}: the machine went away\n{self.machine.console_tail()}')
        return event

    def started(self):
        """Waits until the command runs, and not until it ends."""
        event = self.event(GRACE_S)
        if 'pid' in event:
            self.pid = event['pid']
        else:
            self.events.put(event)
        return self

    def wait(self):
        if self.pid is None:
            self.started()
        event = self.event(self.timeout + GRACE_S)
        return Result(event['code'], *(base64.b64decode(event[name]).decode(errors='replace')
                                       for name in ('stdout', 'stderr')))


class Machine:
    def __init__(self, image, directory, hardware=Hardware()):
        self.image = image
        self.hardware = hardware
        self.directory = pathlib.Path(directory)
        self.overlay = self.directory / 'overlay.qcow2'
        self.console = self.directory / 'console.log'
        self.process = self.connection = self.reader = self.boot_id = None
        self.ids = itertools.count(1)
        self.boots = queue.Queue()
        self.commands = {}
        self.lock = threading.Lock()

    # ---- power

    def boot(self):
        """Switches the machine on and waits until it is up. One that gets stuck on the way is switched on again."""
        if not self.overlay.exists():
            subprocess.run(['qemu-img', 'create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', self.image.disk, self.overlay],
                           check=True)
        for tries_left in reversed(range(BOOT_TRIES)):
            self.connection = self.switch_on(self.directory / 'agent.sock')
            self.reader = threading.Thread(target=self.read, args=[self.connection], daemon=True)
            self.reader.start()
            try:
                return self.wait_until_up()
            except Stuck:
                self.kill()
                if not tries_left:
                    raise

    def switch_on(self, agent):
        """Starts qemu, which connects to @agent; returns that connection."""
        agent.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(agent))
            listener.listen()
            listener.settimeout(GRACE_S)
            self.process = subprocess.Popen(self.command_line(agent), stdin=subprocess.DEVNULL)
            connection, _ = listener.accept()
            connection.settimeout(None)
            return connection

    def command_line(self, agent):
        return ['setpriv', '--pdeathsig', 'KILL', 'qemu-system-x86_64', '-accel', 'tcg,thread=multi', '-cpu', PROCESSOR,
                '-smp', f'{self.hardware.cpus},maxcpus={CPUS_MAX},sockets=1,cores={CPUS_MAX},threads=1', '-m', '1G',
                '-acpitable', f'file={self.image.table}',
                '-machine', 'q35', '-nodefaults', '-no-user-config', '-display', 'none',
                '-kernel', self.image.kernel, '-initrd', self.image.initrd,
                '-append', f'{KERNEL_ARGUMENTS} {self.hardware.kernel_arguments}',
                '-drive', f'file={self.overlay},format=qcow2,if=virtio,cache=writeback', '-device', 'virtio-rng-pci',
                '-chardev', f'file,id=console,path={self.console}', '-serial', 'chardev:console',
                '-device', 'virtio-serial-pci', '-chardev', f'socket,id=agent,path={agent}',
                '-device', 'virtserialport,chardev=agent,name=benchd.agent']

    def wait_until_up(self):
        """Until the agent of another boot than the last one has come, and with it all that boots."""
        before, deadline = self.boot_id, time.monotonic() + BOOT_TIMEOUT_S
        while self.boot_id == before:
            try:
                self.boot_id = self.await_one(self.boots, deadline - time.monotonic())
            except queue.Empty:
                raise Stuck(f'the guest did not come up\n{self.console_tail()}') from None
            if self.boot_id is None:
                raise Dead(f'the machine went away\n{self.console_tail()}')
        self.run('systemctl', 'is-system-running', '--wait')

    def reboot(self):
        """An orderly reboot, until the machine is up again."""
        self.start('systemctl', 'reboot')
        self.wait_until_up()

    def kill(self):
        """Pulls the plug: what the guest had not synced is lost."""
        if self.process:
            self.process.kill()
            self.process.wait()
        if self.connection:
            self.reader.join()
            self.connection.close()
        self.boots = queue.Queue()
        self.process = self.connection = None

    def power_cut(self):
        self.kill()
        self.boot()

    def hangs(self):
        """One of its CPUs does, or did since the machine was switched on."""
        console = self.console.read_text(errors='replace') if self.console.exists() else ''
        return any(hang in console for hang in HANGS)

    def await_one(self, events, timeout):
        """The next of @events, a queue. Raises queue.Empty after @timeout seconds, and Stuck where nothing can come any more."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                return events.get(timeout=max(0, min(LOOK_S, deadline - time.monotonic())))
            except queue.Empty:
                if self.hangs():
                    raise Stuck(f'a CPU of the guest hangs\n{self.console_tail()}') from None
                if time.monotonic() > deadline:
                    raise

    def __enter__(self):
        try:
            self.boot()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *exception):
        self.kill()
        self.overlay.unlink(missing_ok=True)

    def console_tail(self, lines=40):
        with open(self.console, errors='replace') as file:
            return ''.join(collections.deque(file, lines))

    # ---- commands

    def start(self, *words, user='root', stdin=b'', timeout=COMMAND_TIMEOUT_S):
        words = [str(word) for word in words]
        command = Command(self, words, timeout)
        number = next(self.ids)
        self.commands[number] = command
        request = {'id': number, 'argv': words, 'user': user, 'input': base64.b64encode(stdin).decode(),
                   'timeout': timeout}
        with self.lock:
            self.connection.sendall(json.dumps(request).encode() + b'\n')
        return command

    def run(self, *words, **options):
        """Runs @words and returns the Result, whatever it is."""
        return self.start(*words, **options).wait()

    def read(self, connection):
        with connection.makefile('rb') as lines:
            for line in lines:
                self.dispatch(json.loads(line))
        self.forget()

    def dispatch(self, message):
        if 'boot' in message:
            self.forget(everyone=False)
            self.boots.put(message['boot'])
            return
        command = self.commands.get(message['id'])
        if command:
            command.events.put(message)
        if 'code' in message:
            self.commands.pop(message['id'], None)

    def forget(self, everyone=True):
        """Nobody answers any more what was asked before."""
        commands, self.commands = self.commands, {}
        for command in commands.values():
            command.events.put(None)
        if everyone:
            self.boots.put(None)

    # ---- files

    def put(self, source, target, mode='0644'):
        """Brings a file of the host into the guest."""
        result = self.run('install', '-D', f'--mode={mode}', '/dev/stdin', target,
                          stdin=pathlib.Path(source).read_bytes())
        assert result.code == 0, result.stderr

    def read_file(self, path):
        result = self.run('cat', path)
        assert result.code == 0, result.stderr
        return result.stdout
