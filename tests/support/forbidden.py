# SPDX-License-Identifier: GPL-3.0-or-later
"""What each call of tests/hostile/modules/forbidden.c must get, by the place where the benchmark runs.

A row is the name of a call and the errno that it gets; 0 is success. A place that differs has an entry of its own. `OPEN` calls
succeed: they give a benchmark no more than its user has anyway, and the row says so. The kernel may lack what is asked for.
"""

import contextlib
import errno
import os
import pathlib
import socket
import subprocess
import tempfile

MODULE = pathlib.Path(__file__).resolve().parent.parent / "hostile" / "modules" / "forbidden.c"
NOT_TRIED = -1

NO_RIGHT = {"EPERM"}
NO_ACCESS = {"EACCES"}
OPEN = {"0"}
HIDDEN = {"ENOENT"}  # of files of processes that the place does not show
GONE = {"ESRCH"}  # of processes that the place does not show
CLOSED = {"EACCES", "ENOENT", "EROFS"}
LACKING = {"ENOSYS", "ENODEV", "ENXIO", "EAFNOSUPPORT", "EOPNOTSUPP", "ESOCKTNOSUPPORT", "EPROTONOSUPPORT"}  # as a kernel without it says

# Where a benchmark runs. CELL: in name spaces of its own, which a result's controls tell; it goes before UNIT.
ROOT = "a private daemon of root's"
USER = "a private daemon of an ordinary user's"
UNIT = "the installed units"
CELL = "name spaces of its own"

NAMESPACES_CONTROL = "namespaces"

# name: the errno everywhere, and by place where that differs
CALLS = {
    # other processes. An ordinary user's daemon is that user's own: its processes are as much the benchmark's as the user's shell.
    "trace_launcher": (NO_RIGHT, {USER: OPEN | NO_RIGHT, CELL: GONE}),
    "trace_first": (NO_RIGHT, {}),
    "signal_launcher": (NO_RIGHT, {USER: OPEN, CELL: GONE}),
    "signal_first": (NO_RIGHT, {CELL: OPEN | NO_RIGHT}),  # the cell's first process is deaf to those within
    "take_descriptor_of_launcher": (NO_RIGHT, {USER: OPEN | NO_RIGHT, CELL: GONE}),
    "read_memory_of_launcher": (NO_RIGHT, {USER: OPEN | NO_RIGHT | {"EFAULT"}, CELL: GONE}),
    "open_memory_of_launcher": (NO_ACCESS, {USER: OPEN | NO_ACCESS, UNIT: HIDDEN, CELL: HIDDEN}),
    "open_memory_of_first": (NO_ACCESS, {UNIT: HIDDEN, CELL: CLOSED}),
    "open_descriptors_of_launcher": (NO_ACCESS, {USER: OPEN | NO_ACCESS | {"ENXIO"}, UNIT: HIDDEN, CELL: HIDDEN}),
    "read_environment_of_first": (NO_ACCESS, {UNIT: HIDDEN, CELL: NO_ACCESS | HIDDEN}),
    "move_pages_of_launcher": (NO_RIGHT, {USER: OPEN | NO_RIGHT, CELL: GONE}),
    "compare_with_launcher": (NO_RIGHT, {USER: OPEN | NO_RIGHT, CELL: GONE}),
    "renice_launcher": (NO_RIGHT, {USER: OPEN | NO_ACCESS, CELL: GONE}),
    "limit_launcher": (NO_RIGHT, {USER: OPEN, CELL: GONE}),
    # who it is
    "become_root": (NO_RIGHT, {CELL: NO_RIGHT | {"EINVAL"}}),
    "join_group_of_root": (NO_RIGHT, {}),
    "become_group_of_root": (NO_RIGHT, {CELL: NO_RIGHT | {"EINVAL"}}),
    "take_capabilities": (NO_RIGHT, {}),
    "keep_capability_ambient": (NO_RIGHT, {}),
    "clear_no_new_privileges": ({"EINVAL"}, {}),
    "move_memory_map": (NO_RIGHT, {}),
    # time on a processor
    "schedule_fifo": (NO_RIGHT, {}),
    "schedule_deadline": (NO_RIGHT, {}),
    "raise_nice": (NO_RIGHT, {}),
    "raise_io_priority": (NO_RIGHT, {}),
    "leave_its_processor": ({"EINVAL"}, {}),
    "raise_limit": (NO_RIGHT, {}),
    "survive_the_lack_of_memory": (NO_ACCESS, {CELL: CLOSED}),
    # name spaces and the file system
    "mount_file_system": (NO_RIGHT, {}),
    "unmount": (NO_RIGHT, {}),
    "change_root": (NO_RIGHT, {}),
    "pivot_root": (NO_RIGHT, {}),
    "unshare_users": (OPEN | NO_RIGHT, {CELL: NO_RIGHT | {"ENOSPC"}}),  # as for any user: not in a chroot, nor in most containers
    "unshare_users_and_mount": (OPEN | NO_RIGHT, {CELL: NO_RIGHT | {"ENOSPC"}}),
    "unshare_network": (NO_RIGHT, {}),
    "enter_namespace_of_first": (NO_ACCESS, {UNIT: HIDDEN, CELL: NO_ACCESS | HIDDEN}),
    "open_by_handle": (NO_RIGHT, {}),
    "make_device": (NO_RIGHT, {}),
    "give_file_away": (NO_RIGHT, {CELL: NO_RIGHT | {"EINVAL"}}),
    "see_file_in_tmp_of_host": (OPEN, {UNIT: CLOSED, CELL: HIDDEN}),
    "write_tmp": (OPEN, {UNIT: CLOSED, CELL: OPEN | CLOSED}),  # the cell's own, if it has one
    "write_var_tmp": (OPEN, {UNIT: CLOSED, CELL: OPEN | CLOSED}),
    "write_shared_memory": (OPEN, {UNIT: CLOSED, CELL: OPEN | CLOSED}),
    "write_home": (CLOSED, {}),
    "write_root": (CLOSED, {}),
    "write_state": (CLOSED, {}),
    "read_shadow": (NO_ACCESS, {}),
    "watch_all_files": (NO_RIGHT, {}),
    # the kernel and the machine
    "open_physical_memory": (NO_ACCESS | HIDDEN, {}),
    "open_kernel_log": (NO_ACCESS | HIDDEN, {}),
    "clear_kernel_log": (NO_RIGHT, {}),
    "open_registers": (NO_ACCESS | HIDDEN, {}),
    "open_latency_request": (NO_ACCESS | HIDDEN, {}),
    "write_sysfs": (CLOSED, {}),
    "write_sysctl": (CLOSED, {}),
    "write_interrupts": (CLOSED, {}),
    "write_own_group": (CLOSED, {}),
    "open_port": (NO_RIGHT, {}),
    "raise_port_level": (NO_RIGHT, {}),
    "swap": (NO_RIGHT, {}),
    "restart_machine": (NO_RIGHT, {}),
    "load_kernel": (NO_RIGHT, {}),
    "load_module": (NO_RIGHT, {}),
    "set_clock": (NO_RIGHT, {}),
    "adjust_clock": (NO_RIGHT, {}),
    "set_host_name": (NO_RIGHT, {}),
    "account": (NO_RIGHT, {}),
    "load_program": (NO_RIGHT, {}),
    "count_of_processor": (NO_ACCESS | NO_RIGHT, {}),
    "handle_faults_of_kernel": (NO_RIGHT, {}),
    # what leaves no trace in the file system: of the user's own share only
    "make_ring": (OPEN | NO_RIGHT, {}),
    "join_keyring": (OPEN, {}),
    "execute_memory": ({"ENOENT"}, {}),
    "disable_randomization": (OPEN, {}),
    "make_shared_memory": (OPEN, {}),
    "see_shared_memory_of_host": (NO_ACCESS, {UNIT: {"EINVAL"}, CELL: {"EINVAL"}}),
    "make_message_queue": (OPEN, {CELL: OPEN | CLOSED}),
    # sockets
    "open_raw": (NO_RIGHT, {}),
    "open_packets": (NO_RIGHT, {}),
    "open_netlink": (OPEN, {}),
    "open_vsock": (OPEN, {}),
    "open_crypto": (OPEN | HIDDEN, {}),
    "connect_loopback": (OPEN, {UNIT: {"ECONNREFUSED", "ENETUNREACH"}, CELL: {"ECONNREFUSED", "ENETUNREACH"}}),
    "connect_abstract": (OPEN, {UNIT: {"ECONNREFUSED"}, CELL: {"ECONNREFUSED"}}),
    "connect_benchd": (OPEN, {UNIT: OPEN | NO_ACCESS, CELL: OPEN | CLOSED | {"ECONNREFUSED"}}),  # as any program of its user
    "connect_system_bus": (OPEN | CLOSED | {"ECONNREFUSED"}, {CELL: CLOSED | {"ECONNREFUSED"}}),
    "connect_journal": (OPEN | CLOSED | {"ECONNREFUSED"}, {CELL: CLOSED | {"ECONNREFUSED"}}),
}

# What some kernels do not have.
MAY_LACK = {"open_port", "raise_port_level", "load_kernel", "load_module", "load_program", "count_of_processor", "handle_faults_of_kernel",
            "make_ring", "join_keyring", "make_message_queue", "open_packets", "open_netlink", "open_vsock", "open_crypto", "swap",
            "compare_with_launcher", "move_pages_of_launcher", "unshare_users", "unshare_users_and_mount", "account",
            "open_physical_memory", "open_kernel_log", "open_registers", "make_shared_memory"}


def place_of(controls, place):
    """@controls: {name: outcome, as a word}."""
    return CELL if controls.get(NAMESPACES_CONTROL) in ("applied", "already") else place


def wanted(name, place):
    everywhere, elsewhere = CALLS[name]
    return elsewhere.get(place, everywhere) | (LACKING if name in MAY_LACK else set())


def parse(output):
    """What the module printed: {name: "0", the name of an errno, or what else became of the call}."""
    found = {}
    for line in output.splitlines():
        name, number = line.split()
        number = int(number)
        if number != NOT_TRIED:
            found[name] = "0" if number == 0 else errno.errorcode.get(number, f"signal {number - 1000}")
    return found


def surprises(found, place):
    """One line each, for all calls at once."""
    return [f"{name}: {found.get(name, 'not tried')}, not {' or '.join(sorted(wanted(name, place)))}"
            for name in CALLS if found.get(name) not in wanted(name, place)]


@contextlib.contextmanager
def host_places(daemon_socket, launcher):
    """What the host has and a benchmark may reach for: the environment that tells the module of them."""
    name = f"benchd-forbidden-{os.getpid()}"
    segment = int(subprocess.run(["ipcmk", "--shmem", "4096", "--mode", "0600"], capture_output=True, text=True,
                                 check=True).stdout.split()[-1])
    try:
        with (socket.create_server(("127.0.0.1", 0)) as loopback, socket.socket(socket.AF_UNIX) as abstract,
              tempfile.NamedTemporaryFile(dir="/tmp", prefix=name) as file):
            os.fchmod(file.fileno(), 0o644)
            abstract.bind(f"\0{name}")
            abstract.listen()
            yield [f"LAUNCHER={launcher}", f"LOOPBACK={loopback.getsockname()[1]}", f"ABSTRACT={name}", f"SEGMENT={segment}",
                   f"FILE={file.name}", f"BENCHD={daemon_socket}"]
    finally:
        subprocess.run(["ipcrm", "--shmem-id", str(segment)], check=True)
