# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of a module or a daemon reach no terminal and no file with a control character in them: a document of each kind, each string of which
holds a terminal's commands and a forged line, in each format."""

import json
import re
import subprocess

import pytest

from support.benchctl import BENCHMARK, DAEMON, DONE, Benchctl
from support.paths import BUILD, DOCUMENTS

TOUCHES = "printable show"

COMMANDS = "\x1b[2J\x1b]0;title\x07\x7f\x9b31m\r"
FORGED = "\nforged line"
LINES = "output", "source"  # which keep their line ends
# Words by which a document is told from another kind, or a row from one without a number: with these left alone, more of it is printed.
WORDS = "verdict", "state", "method", "measurand", "side", "over", "order", "code", "kind", "phase", "word", "clock", "change", "direction", "arg", "started_at"
# A format, and the control characters that are its own.
FORMATS = {"table": "\n", "details": "\n", "mark": "\n", "csv": "\r\n", "markdown": "\n", "gnuplot": "\n", "gbench": "\n", "hyperfine": "\n", "go": "\t\n", "bmf": "\n",
           "html": "\n", "json": "\n"}
RESULTS = "comparison", "dubious", "everything", "explain", "mark6", "measureit", "plain", "quick", "samples", "scaled", "trace"
FLEETS = "fleet", "fleet-comparison", "fleet-these"
OTHERS = "code", "history", "listing", "set-governor", "source", "status"
NAMED = "args", "counters"  # objects whose keys a module chooses


def poisoned(json_value, spared, key=None):
    if isinstance(json_value, dict):
        return {name + COMMANDS + FORGED if key in NAMED else name: poisoned(value, spared, name) for name, value in json_value.items()}
    if isinstance(json_value, list):
        return [poisoned(value, spared, key) for value in json_value]
    if isinstance(json_value, str) and key not in spared:
        return json_value + COMMANDS + ("" if key in LINES else FORGED)
    return json_value


def assert_harmless(text, own):
    controls = set(re.findall(r"[\x00-\x1f\x7f-\x9f]", text)) - set(own)
    assert not controls, (controls, [line for line in text.split("\n") if set(line) & controls][:3])
    assert "forged line" in text or text == "{}\n"  # --format=bmf of comparisons without a number
    assert not re.search(r"^forged line", text, re.M)


@pytest.mark.parametrize("spared", [(), WORDS], ids=["every", "prose"])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", [*RESULTS, *FLEETS])
def test_a_result_is_shown_without_commands(build, tmp_path, name, format, spared):
    if name in FLEETS and format in ("mark", "gnuplot", "gbench", "hyperfine", "go", "bmf"):
        return  # which has no such format
    path = tmp_path / "result.json"
    path.write_text(json.dumps(poisoned(json.loads((DOCUMENTS / f"{name}.json").read_text()), spared)))
    benchctl = Benchctl(build, expect=(DONE, BENCHMARK, DAEMON), LC_ALL="C.UTF-8")
    plots = ["--plot"] if format == "table" and name in RESULTS else []

    shown = benchctl("show", path, f"--format={format}", *plots)
    assert_harmless(shown.stdout, FORMATS[format])
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown.stderr)


@pytest.mark.parametrize("spared", [(), WORDS], ids=["every", "prose"])
@pytest.mark.parametrize("format", ["table", "details", "json"])
@pytest.mark.parametrize("name", OTHERS)
def test_other_answers_are_shown_without_commands(tmp_path, name, format, spared):
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(poisoned(json.loads((DOCUMENTS / f"{name}.json").read_text()), spared)))
    shown = subprocess.run([BUILD / "tests/golden/golden-table", path, format], check=True, capture_output=True, text=True).stdout
    assert_harmless(shown, FORMATS[format] + ("\t" if name == "source" else ""))
