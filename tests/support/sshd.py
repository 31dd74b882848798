# SPDX-License-Identifier: GPL-3.0-or-later
"""An sshd of a test's own on a port of the loopback, with keys, accounts and a client's configuration of its own.

The accounts stand in a passwd that only this sshd sees, in a mount namespace: `games` has a shell, and the machine's own stays as it is.
"""

import pathlib
import shutil
import subprocess
import threading

from . import far, processes

SSHD = shutil.which("sshd", path="/usr/sbin")
TIMEOUT_S = 60

GAMES_UID = 5

ACCOUNTS = """root:x:0:0:root:/:/bin/sh
sshd:x:{sshd_uid}:65534::/run/sshd:/usr/sbin/nologin
games:x:{games}:60:games:/:/bin/sh
measures:x:{games}:60::/:/bin/sh
talks:x:{games}:60::{directory}/talks:/bin/bash
lacks:x:{games}:60::/:/bin/sh
"""

SERVER = """Port {port}
ListenAddress 127.0.0.1
HostKey {directory}/host
PidFile none
AuthorizedKeysFile {directory}/keys-%u
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
AcceptEnv BENCHD_SOCKET
SetEnv PATH={path}
PrintMotd no
Match User lacks
    SetEnv PATH=/nonexistent
"""

CLIENT = """Host *
    IdentityFile {directory}/key
    IdentitiesOnly yes
    IdentityAgent none
    BatchMode yes
    GlobalKnownHostsFile none
    UserKnownHostsFile {directory}/known_hosts
    HostKeyAlias fleet
{shared}
Match host {hosts}
    HostName 127.0.0.1
    Port {port}
    User root
"""

SHARED = """    ControlMaster auto
    ControlPath {directory}/master-%n-%r
    ControlPersist 60
"""

HOST = """Host {machine}
    SetEnv BENCHD_SOCKET={socket}
"""


class Sshd:
    """@machines: names of the far machines, which are also names of hosts for ssh."""

    def __init__(self, directory, far_side, machines):
        self.directory = directory
        self.far = far_side
        self.machines = machines
        self.said = []

    def __enter__(self):
        self.write_keys()
        [self.port] = far.free_ports(1)
        names = dict(directory=self.directory, port=self.port, path=self.far.path, hosts=",".join(self.machines))
        hosts = "".join(HOST.format(machine=machine, socket=self.far.socket(machine)) for machine in self.machines)
        self.write("sshd_config", SERVER.format(**names))
        self.write("ssh_config", hosts + CLIENT.format(shared="", **names))
        self.write("ssh_config-shared", hosts + CLIENT.format(shared=SHARED.format(**names), **names))
        self.write_accounts()
        pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self.start()
        return self

    def write(self, name, text):
        (self.directory / name).write_text(text)
        return self.directory / name

    def write_keys(self):
        for name in ["host", "key", "key-measures"]:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", self.directory / name], check=True)
        self.write("known_hosts", f"fleet {(self.directory / 'host.pub').read_text()}")
        key = (self.directory / "key.pub").read_text()
        for account in ["root", "games", "talks", "lacks"]:
            self.write(f"keys-{account}", key)
        program = self.far.directory / "client/ctl/benchctl"
        socket = self.far.socket(self.machines[0])
        self.write("keys-measures", f'command="{program} bridge --socket={socket}",restrict {key}')

    def write_accounts(self):
        uid = int(subprocess.run(["id", "-u", "sshd"], capture_output=True, text=True, check=True).stdout)
        text = ACCOUNTS.format(sshd_uid=uid, games=GAMES_UID, directory=self.directory)
        self.write("passwd", text)
        self.write("shadow", "".join(f"{line.split(':')[0]}:*:19000:0:99999:7:::\n" for line in text.splitlines()))
        (self.directory / "talks").mkdir()
        self.write("talks/.bashrc", "echo Welcome to this machine.\n")

    def start(self):
        hide = f"mount --bind {self.directory}/passwd /etc/passwd && mount --bind {self.directory}/shadow /etc/shadow"
        self.process = subprocess.Popen(["unshare", "--mount", "sh", "-c", f"{hide} && exec {SSHD} -D -e -f {self.directory}/sshd_config"],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            self.said.append(line)
            if "Server listening" in line:
                break
        else:
            raise AssertionError(f"sshd did not start: {self.said}")
        self.reader = threading.Thread(target=lambda: self.said.extend(self.process.stderr))
        self.reader.start()

    def __exit__(self, *exception):
        for machine in self.machines:
            for master in self.directory.glob(f"master-{machine}-*"):
                self.ssh(machine, "-O", "exit", shared=True, user=master.name.rsplit("-", 1)[1])
        processes.kill_all([self.process.pid, *self.sessions()])
        self.process.wait(timeout=TIMEOUT_S)
        self.reader.join()
        self.process.stderr.close()

    def sessions(self):
        """All that sshd has started, sessions before their commands."""
        return processes.descendants(self.process.pid)

    def find_bridge(self, machine):
        """The sshd of the only session that asks this machine, and its benchctl."""
        socket = f"BENCHD_SOCKET={self.far.socket(machine)}".encode()
        found = [(head, pid) for head in processes.children(self.process.pid) for pid in processes.descendants(head)
                 if processes.read_proc(pid, "comm").strip() == b"benchctl" and socket in processes.read_proc(pid, "environ").split(b"\0")]
        assert len(found) == 1, found
        return found[0]

    def rsh(self, shared=False, options=()):
        """The command for --rsh=, in words. Shared: over one connection, as ControlMaster has it."""
        config = self.directory / ("ssh_config-shared" if shared else "ssh_config")
        return ["ssh", "-F", str(config), "-xT", *options]

    def ssh(self, machine, *words, shared=False, user="root"):
        return subprocess.run([*self.rsh(shared), "-l", user, machine, *words], capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
