# SPDX-License-Identifier: GPL-3.0-or-later
"""A git repository that a test makes, without any setting of whoever runs the tests."""

import hashlib
import os
import subprocess

ENVIRONMENT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
               "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.org"}


class Repository:
    def __init__(self, path, *words):
        self.path = path
        subprocess.run(["git", "init", "-q", "-b", "main", *words, path], check=True, env={**os.environ, **ENVIRONMENT})

    def git(self, *words, **variables):
        return subprocess.run(["git", "-c", "protocol.file.allow=always", *words], cwd=self.path, check=True, capture_output=True, text=True,
                              env={**os.environ, **ENVIRONMENT, **variables}).stdout.strip()

    def write(self, **files):
        """Files by their names, where _ and __ stand for a dot; None removes one."""
        for name, text in files.items():
            path = self.path / name.replace("__", ".").replace("_", ".")
            if text is None:
                path.unlink()
            else:
                path.write_text(text)

    def commit(self, subject, date=None, **files):
        """Commits all that is there, at a time in seconds; returns the id."""
        self.write(**files)
        self.git("add", "--all")
        at = {"GIT_COMMITTER_DATE": f"{date} +0000"} if date else {}
        self.git("commit", "-q", "--allow-empty", "-m", subject, **at)
        return self.git("rev-parse", "HEAD")

    def everything(self):
        """A digest of all names, kinds, times and bytes in the tree and in .git."""
        digest = hashlib.sha256()
        for path in sorted(self.path.rglob("*")):
            status = path.lstat()
            digest.update(f"{path} {status.st_mode} {status.st_mtime_ns} {status.st_size}\n".encode())
            if path.is_file() and not path.is_symlink():
                digest.update(path.read_bytes())
        return digest.hexdigest()
