# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the manual as data: their text, and the examples that are to run."""

import re

from .paths import BUILD, SOURCE

PAGES = sorted([*(SOURCE / "man").glob("*.[0-9]"), *(BUILD / "man").glob("*.[0-9]")], key=lambda page: page.name)


def page(name):
    return next(page for page in PAGES if page.name == name).read_text()


def unescape(text):
    """Characters that are escapes in roff."""
    for escape, character in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(bu", "*"), ("\\e", "\\")):
        text = text.replace(escape, character)
    return re.sub(r"\\f(?:\(..|\[.*?\]|.)|\\&", "", text)


def plain(roff):
    """The text without comments, requests, quotes and escapes; words that fonts alone part stand together, as they are read."""
    lines = []
    for line in roff.splitlines():
        request = re.match(r"\.(\\\"|[A-Z]+\b) ?(.*)", line)
        if re.match(r"\.[a-z]", line):
            continue  # such as .br
        if not request:
            lines.append(line)
        elif request[1] in ("BR", "RB", "BI", "IB", "IR", "RI"):
            lines.append("".join(quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', request[2])))
        elif request[1] != '\\"':
            lines.append(request[2].replace('"', ""))
    return unescape("\n".join(lines))


def section(roff, title):
    """What stands below a .SH of that title."""
    return re.search(rf"^\.SH {re.escape(title)}\n(.*?)(?=^\.SH |\Z)", roff, re.M | re.S)[1]


def tags(roff):
    """What the entries of a text are headed by, as it is read."""
    found = re.findall(r"^\.TP(?: \d+)?\n(.*)$", roff, re.M)
    return [plain(line) for line in found]


# ---- examples

def example_blocks(text, is_roff):
    """Each block of commands: (line, commands, reason why it is not run or None, or False where neither mark is there).

    In a page it is what stands from .EX to .EE, in Markdown between two fences. A mark before it says that it is run, or not and why:
    a comment of roff, "run", "not run: REASON", or "code" where it has no commands; the word console behind the fence, or the comment
    <!-- not run: REASON -->.
    In a block with a line that begins with a dollar sign, such lines are the commands, with those that a backslash continues."""
    pattern = r'^(?:\.\\" (run|code|not run: [^\n]*)\n)?\.EX\n(.*?)^\.EE$' if is_roff else r"^(?:<!-- (not run: [^\n]*) -->\n\n?)?```([\w-]*)\n(.*?)^```$"
    for found in re.finditer(pattern, text, re.M | re.S):
        line = text[:found.start()].count("\n") + 1
        if is_roff:
            mark, body = found[1], unescape(found[2])
            if mark == "code":
                continue
        else:
            mark, body = found[1] or ("run" if found[2] == "console" else None), found[3]
            if not mark and (found[2] or not re.search(r"^\$ ", body, re.M)):
                continue  # code, a picture
        reason = mark[len("not run: "):] if mark and mark.startswith("not run: ") else None if mark else False
        yield line, commands_of(body), reason


def commands_of(body):
    if not re.search(r"^\$ ", body, re.M):
        return body
    return "\n".join(command.replace("\n      ", "\n") for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", body, re.M)) + "\n"
