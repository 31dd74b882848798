# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl as a test runs it: words in, an exit status, stdout and stderr out; or on a terminal."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

BRIEF = ["--processes=3", "--samples=3", "--min-time=0.01", "--warmup=1"]
FOREVER = ["--processes=1", "--timeout=600"]
TIMEOUT_S = 120

DONE, USAGE, BENCHMARK, DAEMON, MACHINE, CANCELLED = 0, 2, 3, 4, 5, 130
ANY = range(-64, 256)  # exit status, or signal


def popen_options(options):
    """What subprocess.Popen is to be given: of the options those in capitals are the environment's, None is for one that is not there."""
    environment = {**os.environ, **{name: value for name, value in options.items() if name.isupper()}}
    return {**{name: value for name, value in options.items() if not name.isupper()},
            "env": {name: str(value) for name, value in environment.items() if value is not None}}


class Benchctl:
    """A benchctl in a place: @where are words behind each verb, the options those of all its runs."""

    def __init__(self, build, *where, expect=DONE, program="client/ctl/benchctl", **options):
        self.program = build / program
        self.where = where
        self.expect = expect
        self.options = options

    @property
    def folder(self):
        return self.options["cwd"]

    def command(self, *words):
        return [str(word) for word in [self.program, *words[:1], *self.where, *words[1:]]]

    def __call__(self, *words, expect=None, before=(), **options):
        """Runs it to its end; returns what it printed, with .stdout and .stderr. Expected is an exit status, one of several, or ANY. The
        words @before are a program that runs it. The input may be bytes."""
        done = subprocess.run([*before, *self.command(*words)], **{"capture_output": True, "text": not isinstance(options.get("input"), bytes), "timeout": TIMEOUT_S,
                                                       **popen_options(self.options | options)})
        done.stdout, done.stderr = (text.decode() if isinstance(text, bytes) else text for text in (done.stdout, done.stderr))
        expect = self.expect if expect is None else expect
        assert done.returncode in (expect if isinstance(expect, (range, tuple)) else [expect]), f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def on_terminal(self, *words, **options):
        return OnTerminal(self.command(*words), **{**self.options, **options})

    def json(self, verb, *words, **options):
        return json.loads(self(verb, "--format=json", *words, **options).stdout)


class OnTerminal:
    """A benchctl whose stderr, or everything, is a terminal of so many columns."""

    def __init__(self, command, everything=False, columns=0, **options):
        self.terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("4H", 40 if columns else 0, columns, 0, 0))
        self.seen = b""
        self.process = subprocess.Popen(command, **{**({"stdin": end, "stdout": end} if everything else {"stdout": subprocess.PIPE}), "stderr": end,
                                                    **popen_options({"TERM": "xterm", **options})})
        os.close(end)

    def more(self):
        """Reads on; False at the end."""
        try:
            data = os.read(self.terminal, 4096)
        except OSError:  # Linux tells the end of a terminal so
            data = b""
        self.seen += data
        return bool(data)

    def await_text(self, pattern):
        while not re.search(pattern, self.seen.decode(errors="replace")):
            assert self.more(), f"it ended before it said {pattern}: {self.seen}"

    def press_until_end(self, number):
        """Sends a signal again and again, as somebody who loses patience."""
        while True:
            self.process.send_signal(number)
            try:
                self.process.wait(timeout=0.1)
                return
            except subprocess.TimeoutExpired:
                pass

    def end(self, expect):
        while self.more():
            pass
        stdout = self.process.stdout.read().decode() if self.process.stdout else ""
        assert self.process.wait(timeout=TIMEOUT_S) in (expect if isinstance(expect, range) else [expect]), f"{stdout}{self.seen}"
        os.close(self.terminal)
        return stdout
