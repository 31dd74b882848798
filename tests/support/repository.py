# SPDX-License-Identifier: GPL-3.0-or-later
"""A git repository that a test fills with commits."""

import subprocess


class Repository:
    def __init__(self, path):
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words):
        author = ["-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *author, *map(str, words)], cwd=self.path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, subject, **files):
        """Commits the files, whose names have _ for a point; None removes one. Returns the id of the commit."""
        for name, text in files.items():
            path = self.path / name.replace("_", ".")
            if text is None:
                path.unlink()
            else:
                path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={subject}")
        return self.git("rev-parse", "HEAD")
