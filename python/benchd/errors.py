# SPDX-License-Identifier: MIT
"""The failures of this package, each a sentence for the user and, where there is one, a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import benchd_pb2 as pb
    from .run import Run


class BenchdError(Exception):
    """Anything that went wrong, in words."""


class NoDaemonError(BenchdError):
    """No daemon answers, or a private one does not start."""


class ConnectionLostError(BenchdError):
    """The daemon closed the connection."""


class CompileError(BenchdError):
    """A source does not compile; `output` has the compiler's words."""

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(f"{sentence}\n{output}".rstrip())
        self.output = output


class RequestError(BenchdError):
    """The daemon refused a request, or it failed as a whole. `code` is a word of Error.Code: "no_match", "busy", "cancelled", ..."""

    def __init__(self, error: pb.Error) -> None:
        super().__init__(" ".join(filter(None, [error.message, error.hint])))
        self.code = error.Code.Name(error.code).lower()
        self.message = error.message
        self.hint = error.hint
        self.output = error.output
        self.failure = error.failure


class BenchmarkError(BenchdError):
    """A benchmark gave no number; `run` has those that did."""

    def __init__(self, sentence: str, run: Run) -> None:
        super().__init__(sentence)
        self.run = run
