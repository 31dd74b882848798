# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command that can make no user namespace, as in many containers: a seccomp filter answers EPERM."""

import ctypes
import os
import struct
import sys

CLONE_NEWUSER = 0x10000000
UNSHARE = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, EQUAL, ANY_OF, RETURN = 0x20, 0x15, 0x45, 0x06  # of struct sock_filter
NUMBER_AT, ARGUMENT_AT = 0, 16  # in struct seccomp_data
ALLOW, REFUSE = 0x7FFF0000, 0x00050001  # EPERM


def main(command):
    steps = [(LOAD, 0, 0, NUMBER_AT), (EQUAL, 0, 3, UNSHARE), (LOAD, 0, 0, ARGUMENT_AT), (ANY_OF, 0, 1, CLONE_NEWUSER),
             (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "a filter")
    os.execvp(command[0], command)


main(sys.argv[1:])
