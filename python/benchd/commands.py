# SPDX-License-Identifier: MIT
"""Whole commands, by `benchctl exec`: it is the process whose children they are, with its directory, files and environment."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, Union

from .errors import BenchdError, NoDaemonError
from .module import program

Command = Union[str, Sequence[str]]  # a script for the shell, or a program with its arguments


def _option(name: str, value: Any) -> list[str]:
    """A list is an option given several times; a pair of texts in one, as --parameter-list takes, is two words."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, list):
        return [word for each in value for word in _option(name, each)]
    if isinstance(value, tuple):
        return [flag, *map(str, value)]
    return [f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]


def words(commands: Sequence[Command], options: Mapping[str, Any]) -> list[str]:
    """What follows `benchctl exec`."""
    scripts = [command for command in commands if isinstance(command, str)]
    programs = [list(map(str, command)) for command in commands if not isinstance(command, str)]
    if len(programs) > 1 or (programs and isinstance(commands[-1], str)):
        raise TypeError("exec() takes one program with its arguments, behind all scripts.")
    flags = [word for name, value in options.items() for word in _option(name, value)]
    return [*flags, *scripts, *(["--", *programs[0]] if programs else [])]


def run_id_of(socket: str, commands: Sequence[Command], options: Mapping[str, Any]) -> str:
    """Measures @commands on the daemon at @socket. Returns the id of the run, which is over."""
    benchctl = program("benchctl", "client/ctl")
    if benchctl is None:
        raise NoDaemonError("Cannot measure commands: benchctl is not on PATH. Install the package benchctl.")
    done = subprocess.run([benchctl, "exec", f"--socket={socket}", "--format=json", "--quiet", *words(commands, options)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    try:
        return str(json.loads(done.stdout)["run_id"])
    except (ValueError, KeyError, TypeError):
        raise BenchdError(done.stderr.strip() or f"benchctl exec ended with exit code {done.returncode}, and without a result.") from None
