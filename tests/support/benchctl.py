# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl as a test runs it: words in, an exit status, stdout and stderr out; or on a terminal."""

import json
import os
import pty
import re
import subprocess

EMPTY = "BENCH(empty) { bench_loop(b) bench_clobber(); }"
SPINS = "BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }"
BRIEF = ["--processes=3", "--samples=3", "--min-time=0.01", "--warmup=1"]
FOREVER = ["--processes=1", "--timeout=600"]
TIMEOUT_S = 120

DONE, USAGE, BENCHMARK, DAEMON, MACHINE, CANCELLED = 0, 2, 3, 4, 5, 130


class Benchctl:
    """A benchctl and the daemon that it talks to."""

    def __init__(self, build, *where):
        self.program = build / "client/ctl/benchctl"
        self.where = where

    def command(self, *words):
        verb, *rest = map(str, words)
        return [str(self.program), verb, *self.where, *rest]

    def __call__(self, *words, expect=DONE, **environment):
        """Runs it to its end; returns what it printed, with .stdout and .stderr."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=TIMEOUT_S,
                              env={**os.environ, **environment})
        assert done.returncode == expect, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def json(self, verb, *words, **options):
        return json.loads(self(verb, "--format=json", *words, **options).stdout)


class OnTerminal:
    """A benchctl whose stderr, or all of whose output, is a terminal; popen goes to subprocess.Popen."""

    def __init__(self, command, everything=False, popen=None, **environment):
        self.terminal, end = pty.openpty()
        self.seen = b""
        self.process = subprocess.Popen(command, stderr=end, env={**os.environ, "TERM": "xterm", **environment},
                                        **{"stdout": end if everything else subprocess.PIPE, **(popen or {})})
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
        assert self.process.wait(timeout=TIMEOUT_S) == expect, f"{stdout}{self.seen}"
        os.close(self.terminal)
        return stdout
