# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

HIDDEN = ["vfork_exec_wait"]
RELATIONS = [
    AtMost("vfork copies no page tables", "processes/vfork_exit_wait", "processes/fork_exit_wait"),
    AtMost("a program takes longer than none", "processes/vfork_exit_wait", "processes/vfork_exec_wait"),
    AtMost("posix_spawn runs a program too", "processes/vfork_exit_wait", "processes/posix_spawn_wait"),
    AtMost("a thread takes less than a process", "processes/pthread_create_join", "processes/fork_exit_wait"),
    AtMost("a thread has two switches and more: pipe",
           "processes/switch_by_pipe", "processes/pthread_create_join", 0.5),
    AtMost("a thread has two switches and more: futex",
           "processes/switch_by_futex", "processes/pthread_create_join", 0.5),
    AtMost("swapcontext sets the signal mask", "processes/sigprocmask", "processes/switch_by_swapcontext"),
    AtMost("a handler takes longer than none", "processes/signal_ignored", "processes/signal_to_self"),
]
