# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

HIDDEN = ["getrusage", "dup_close"]
RELATIONS = [
    AtMost("entry and exit are part of all: getpid", "system_calls/unknown_number", "system_calls/getpid", 1.1),
    AtMost("entry and exit are part of all: clock_gettime_syscall",
           "system_calls/getpid", "system_calls/clock_gettime_syscall"),
    AtMost("entry and exit are part of all: getrusage", "system_calls/getpid", "system_calls/getrusage"),
    AtMost("entry and exit are part of all: sched_yield", "system_calls/getpid", "system_calls/sched_yield"),
    AtMost("entry and exit are part of all: read_dev_zero",
           "system_calls/getpid", "system_calls/read_dev_zero/bytes=1"),
    AtMost("entry and exit are part of all: write_dev_null",
           "system_calls/getpid", "system_calls/write_dev_null/bytes=4096"),
    AtMost("entry and exit are part of all: ioctl_fionread", "system_calls/getpid", "system_calls/ioctl_fionread"),
    AtMost("entry and exit are part of all: futex_wake", "system_calls/getpid", "system_calls/futex_wake"),
    AtMost("entry and exit are part of all: poll", "system_calls/getpid", "system_calls/poll"),
    AtMost("entry and exit are part of all: epoll_wait", "system_calls/getpid", "system_calls/epoll_wait"),
    AtMost("entry and exit are part of all: io_uring_no_op", "system_calls/getpid", "system_calls/io_uring_no_op"),
    AtMost("entry and exit are part of all: getrandom", "system_calls/getpid", "system_calls/getrandom/bytes=16"),
    AtMost("two calls are two: dup_close", "system_calls/getpid", "system_calls/dup_close", 0.5),
    AtMost("two calls are two: pipe_write_read", "system_calls/getpid", "system_calls/pipe_write_read", 0.5),
    AtMost("two calls are two: eventfd_write_read", "system_calls/getpid", "system_calls/eventfd_write_read", 0.5),
    AtMost("the vDSO saves the call", "system_calls/clock_gettime_vdso", "system_calls/clock_gettime_syscall"),
    AtMost("a socket's buffers take longer than a pipe's",
           "system_calls/pipe_write_read", "system_calls/socketpair_write_read"),
    AtMost("zeros take time", "system_calls/read_dev_zero/bytes=1", "system_calls/read_dev_zero/bytes=65536", 0.5),
    AtMost("random bytes take time", "system_calls/getrandom/bytes=16", "system_calls/getrandom/bytes=4096", 0.5),
]
