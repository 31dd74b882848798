# SPDX-License-Identifier: MIT
"""The failures of this package but a benchmark's own (run.py), each a sentence for the user and, where there is one, a hint.

Whatever others said in it is printable: a terminal shows what an exception says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .printable import printable, printable_lines

if TYPE_CHECKING:
    from . import benchd_pb2 as pb


class BenchdError(Exception):
    """Anything that went wrong, in words."""

    def __init__(self, sentence: str) -> None:
        super().__init__(printable_lines(sentence))


class NoDaemonError(BenchdError):
    """No daemon answers, or a private one does not start."""


class ConnectionLostError(BenchdError):
    """The daemon closed the connection."""


class CompileError(BenchdError):
    """A source does not compile; `output` has the compiler's words."""

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(f"{sentence}\n{output}".rstrip())
        self.output = printable_lines(output)


class RequestError(BenchdError):
    """The daemon refused a request, or it failed as a whole. `code` is a word of Error.Code: "no_match", "busy", "cancelled", ..."""

    def __init__(self, error: pb.Error) -> None:
        self.code = error.Code.Name(error.code).lower()
        self.message = printable(error.message)
        self.hint = printable(error.hint)
        self.output = printable_lines(error.output)
        super().__init__(" ".join(filter(None, [self.message, self.hint])))
        self.failure = error.failure
