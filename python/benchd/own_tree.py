# SPDX-License-Identifier: MIT
"""Files that this package finds beside itself, in a build tree or below a prefix: they are executed and compiled with the rights of whoever
imports it, so they count only where nobody else could have put them there. benchctl has the same rule."""

from __future__ import annotations

import grp
import os
import pathlib
import pwd
import stat
import warnings


def _is_private_group(gid: int, uid: int) -> bool:
    """True if @uid's own group is @gid, and nobody else who is known is in it."""
    try:
        user, members = pwd.getpwuid(uid), grp.getgrgid(gid).gr_mem
    except KeyError:
        return False
    return (user.pw_gid == gid and all(other.pw_uid == uid for other in pwd.getpwall() if other.pw_gid == gid)
            and all(member == user.pw_name for member in members))


def _can_others_write(path: pathlib.Path, status: os.stat_result) -> bool:
    if status.st_mode & stat.S_IWOTH:
        return True
    if not status.st_mode & stat.S_IWGRP:
        return False
    return "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False) or not _is_private_group(status.st_gid, status.st_uid)


def fault(root: pathlib.Path, name: str) -> str:
    """Why the file @name below @root does not count, in words; "" if it does, or if it is not there."""
    path, trusted = root, {0, os.geteuid(), os.stat(__file__).st_uid}
    for step in ["", *pathlib.PurePath(name).parts]:
        path = path / step
        try:
            status = path.lstat()
        except OSError:
            return ""
        if not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
            return f"{path} is neither a directory nor a file"
        if status.st_uid not in trusted:
            return f"{path} belongs to user {status.st_uid}"
        if _can_others_write(path, status):
            return f"{path} can be written by other users"
    return ""


def find(root: pathlib.Path, name: str, access: int) -> pathlib.Path | None:
    """The path of the file @name below @root; None where it is not there, or does not count, which a warning tells."""
    path = root / name
    if not path.is_file() or not os.access(path, access):
        return None
    reason = fault(root, name)
    if reason:
        warnings.warn(f"{path} is not used, since others could have put it there: {reason}.", stacklevel=4)
    return None if reason else path
