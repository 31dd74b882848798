# SPDX-License-Identifier: GPL-3.0-or-later
"""A Slurm of a test's own, all of whose nodes are this machine: munge, slurmctld and a slurmd a node, on ports and in a directory of their own."""

import contextlib
import os
import shutil
import signal
import subprocess
import time

from . import far, processes

PROGRAMS = ["munged", "slurmctld", "slurmd", "srun", "salloc", "scontrol", "scancel"]
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
MISSING = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
TIMEOUT_S = 60
SLURMD_TIMEOUT_S = 6

# Whole nodes, and nothing that polls or binds while a benchmark runs: as benchd-fleet(7) has it. No cgroups, since all nodes share a machine.
CONFIGURATION = """ClusterName=fleet
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool-%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/linear
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
SwitchType=switch/none
MpiDefault=none
PropagateResourceLimits=NONE
ReturnToService=1
KillWait=5
MessageTimeout={message_timeout}
TCPTimeout=1
SlurmdTimeout={timeout}
SlurmctldTimeout=10
{nodes}
PartitionName=bench Nodes=ALL Default=YES MaxTime=60 OverSubscribe=EXCLUSIVE State=UP
"""

NODE = "NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=1 Feature={feature} State=UNKNOWN"


class Slurm:
    """@nodes: {name: feature}. A dead node is known after SLURMD_TIMEOUT_S and two or three times @message_timeout."""

    def __init__(self, directory, far_side, nodes, message_timeout=2):
        self.directory = directory
        self.far = far_side
        self.nodes = nodes
        self.message_timeout = message_timeout
        self.mark = f"SLURM_CONF={directory}/slurm.conf".encode()  # in the environment of all that belongs to it
        self.environment = {**os.environ, "SLURM_CONF": f"{directory}/slurm.conf", "PATH": f"{far_side.path}"}
        self.processes = {}

    def __enter__(self):
        controller, *ports = far.free_ports(1 + len(self.nodes))
        rows = [NODE.format(name=name, port=port, feature=feature) for (name, feature), port in zip(self.nodes.items(), ports)]
        (self.directory / "slurm.conf").write_text(CONFIGURATION.format(
            directory=self.directory, controller=controller, timeout=SLURMD_TIMEOUT_S, message_timeout=self.message_timeout, nodes="\n".join(rows)))
        for name in ["state", *(f"spool-{node}" for node in self.nodes)]:
            (self.directory / name).mkdir()
        (self.directory / "munge.key").write_bytes(os.urandom(128))
        (self.directory / "munge.key").chmod(0o400)
        try:
            self.start("munged", "munged", "--foreground", "--force", f"--socket={self.directory}/munge.socket",
                       *(f"--{name}-file={self.directory}/munge.{name}" for name in ["key", "pid", "log", "seed"]))
            self.await_("munge", "-n", f"--socket={self.directory}/munge.socket")
            self.start("slurmctld", "slurmctld", "-D", "-c")
            for node in self.nodes:
                self.start(node, "slurmd", "-D", "-N", node)
            self.await_("scontrol", "ping")
            self.await_("srun", f"--nodes={len(self.nodes)}", "true")
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, name, *command):
        with open(self.directory / f"{name}.out", "wb") as out:
            self.processes[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**self.environment, "BENCHD_TEST_SLURMD": name})

    def await_(self, *command):
        """Until it succeeds, which is soon if all that has been started is alive."""
        deadline = time.monotonic() + processes.END_TIMEOUT_S
        while (done := self.run(*command)).returncode != 0:
            assert time.monotonic() < deadline, f"{done.args}: {done.stderr} {self.said()}"
            dead = {name: process.returncode for name, process in self.processes.items() if process.poll() is not None}
            assert not dead, f"{dead}: {self.said()}"

    def said(self):
        return "\n".join(path.read_text(errors="replace")[-2000:] for path in sorted(self.directory.glob("*.out")))

    def run(self, *command, **options):
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, env=self.environment, **options)

    def salloc(self, *words):
        """The command that runs another within an allocation of whole nodes."""
        return ["salloc", "--quiet", "--no-kill", *words]

    def on_node(self, node):
        """Its slurmd, and each step and task there."""
        names = [f"{name}={node}".encode() for name in ("BENCHD_TEST_SLURMD", "SLURMD_NODENAME")]
        return {pid for name in names for pid in processes.processes_with(self.mark, name)}

    def freeze_node(self, node):
        """Its connections stay, and nobody answers."""
        for pid in self.on_node(node):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

    def kill_node(self, node):
        """As a machine's loss: all of it at once."""
        processes.kill_all(self.on_node(node))
        self.processes[node].wait(timeout=TIMEOUT_S)

    def revive_node(self, node):
        """As a machine that has booted: without its steps."""
        shutil.rmtree(self.directory / f"spool-{node}")
        (self.directory / f"spool-{node}").mkdir()
        self.start(node, "slurmd", "-D", "-N", node)
        self.await_("srun", f"--nodes={len(self.nodes)}", "true")

    def __exit__(self, *exception):
        """At once, since a step whose controller is gone waits for it."""
        processes.kill_all(processes.processes_with(self.mark))
        for process in self.processes.values():
            process.wait(timeout=TIMEOUT_S)
