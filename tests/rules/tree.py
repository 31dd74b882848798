# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the tree as functions of a file's name and text, so that a test can feed them a line that breaks one.

Each returns what is wrong, in words; an empty list where nothing is.
"""

import os.path
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# ---- which files there are

SKIPPED = {'.git', '__pycache__', '.pytest_cache', 'LICENSES', 'packages'}


def files(*suffixes):
    """The tree's own files, relative to its root; those with one of @suffixes, if any are named."""
    found = []
    todo = [ROOT]
    while todo:
        for entry in sorted(todo.pop().iterdir()):
            if entry.is_symlink():
                continue
            if entry.is_dir():
                if entry.name not in SKIPPED and not (entry / 'meson-info').exists():
                    todo.append(entry)
            elif entry.is_file() and (not suffixes or entry.suffix in suffixes):
                found.append(entry.relative_to(ROOT).as_posix())
    return found


# ---- who may include whom

UTIL, CLOCK, STATS, WORDS, PROTO, OPS, MACHINE = ('common/util', 'common/clock', 'common/stats', 'common/words', 'proto',
                                                  'daemon/ops', 'daemon/machine')
OUTCOME = 'daemon/ops/outcome.h'
BENCH_H, CLIENT_H = 'include/benchd/bench.h', 'include/benchd/client.h'
EXEC_H = 'exec/exec-wire.h'
EVENT_H = 'client/lib/event.h'  # of the library benchctl has no more than the JSON whose text each client gets

# The rooms of a folder, each of which may include those after it; files of the folder itself may include all.
ROOMS = {
    'daemon/front': ('clients', 'jobs', 'report', 'samples', 'plan', 'history', 'base'),
    'daemon/launch': ('run', 'lease', 'birth', 'trust', 'base'),
    'daemon/runner': ('time', 'load', 'watch', 'count'),
    'client/ctl': ('app', 'verbs', 'ask', 'show', 'model', 'base'),
}

# The libraries of a folder with rooms.
LIBRARIES = {
    'daemon/front': {UTIL, CLOCK, STATS, WORDS, PROTO, OPS},
    'daemon/launch': {UTIL, CLOCK, WORDS, OPS, MACHINE},
    'daemon/runner': {UTIL, CLOCK, WORDS, OPS, BENCH_H},
    'client/ctl': {UTIL, STATS, WORDS, CLIENT_H, EVENT_H, EXEC_H},
}


def rooms_of(folder):
    return [f'{folder}/{room}' for room in ROOMS[folder]]


# A folder stands before the one that holds it.
MAY_INCLUDE = {
    **{room: LIBRARIES[folder] | set(rooms_of(folder)[i + 1:]) for folder in ROOMS for i, room in enumerate(rooms_of(folder))},
    **{folder: LIBRARIES[folder] | set(rooms_of(folder)) for folder in ROOMS},
    'include/benchd': set(),
    'common/util': set(),
    'common/clock': {UTIL},
    'common/stats': {UTIL},
    'common/words': set(),
    'proto': {UTIL},
    'daemon/ops': {UTIL, WORDS},
    'daemon/machine': {UTIL, CLOCK, WORDS, OUTCOME},
    'daemon/inspect': {UTIL, OPS, BENCH_H},
    'client/lib': {UTIL, PROTO, CLIENT_H},
    'exec': {BENCH_H},
    'suites': {BENCH_H},
    'examples/poll-loop': {CLIENT_H},
    'examples/self-timed': {BENCH_H, CLIENT_H},
    'examples': {BENCH_H},
    'tests': None,  # anything
}

GENERATED = {'html-assets.h': 'client/ctl/show', 'tests/unit/test-paths.h': 'tests/unit', 'build-text.h': 'daemon/ops', 'ops/asked.h': 'daemon/ops', 'words/here-options.h': 'common/words', 'benchd.pb-c.h': PROTO, 'proto/benchd.pb-c.h': PROTO, '_cgo_export.h': 'examples/go'}
INCLUDE_ROOTS = ['', 'include', 'common', 'daemon', 'client']


def folder_of(name):
    """The folder of the table that holds the file @name; None outside of it."""
    return next((folder for folder in MAY_INCLUDE if name.startswith(folder + '/')), None)


def resolve(includer, included, exists):
    """The tree's file or folder behind an #include; None if there is none."""
    if included in GENERATED:
        return GENERATED[included]
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), included))
    candidates = [beside] + [f'{root}/{included}'.lstrip('/') for root in INCLUDE_ROOTS]
    return next((candidate for candidate in candidates if exists(candidate)), None)


def check_includes(name, text, exists=lambda path: (ROOT / path).exists()):
    folder = folder_of(name)
    if folder is None:
        return [f'{name}: stands in no folder of the include table']
    allowed = MAY_INCLUDE[folder]
    wrong = []
    for bracket, included in re.findall(r'^\s*#\s*include\s+(["<])([^">]+)[">]', text, re.M):
        if bracket == '<' and not included.startswith('benchd/'):
            continue
        target = resolve(name, included, exists) if bracket == '"' else f'include/{included}'
        if target is None:
            wrong.append(f'{name}: "{included}" is no file of the tree')
        elif allowed is None or folder_of(target) == folder or target == folder:
            continue
        elif target not in allowed and folder_of(target) not in allowed:
            wrong.append(f'{name}: {folder} may not include "{included}"')
    return wrong


# ---- the first line

MIT = ('include/', 'proto/', 'python/', 'common/util/', 'common/clock/', 'client/lib/', 'examples/', 'suites/')


def check_licence(name, text):
    wanted = 'MIT' if name.startswith(MIT) else 'GPL-3.0-or-later'
    lines = text.splitlines()
    first = next((line for line in lines if not line.startswith('#!')), '')
    if re.fullmatch(rf'(/\*|//|#) SPDX-License-Identifier: {re.escape(wanted)}( \*/)?', first):
        return []
    return [f'{name}: its first line does not say SPDX-License-Identifier: {wanted}']


# ---- nothing of the machine on which it was written

def foreign_paths():
    homes = ['/' + word + '/' for word in ('home', 'root')]
    beside = ['../' + word + '/' for word in ('shared', 'research', 'seeds')]
    return homes + beside + [str(ROOT) + '/']


def check_paths(name, text):
    return [f'{name}: names {path}' for path in foreign_paths() if path in text]


# ---- one width of all Markdown

MARKDOWN_WIDTH = 120


def check_width(name, text):
    """Of prose: not of code, tables, links that stand alone, and words that no line could break."""
    prose = re.sub(r'^ *```.*?^ *```', lambda code: '\n' * code[0].count('\n'), text, flags=re.M | re.S)
    return [f'{name}:{i}: has {len(line)} columns, and a line of Markdown has {MARKDOWN_WIDTH}'
            for i, line in enumerate(prose.split('\n'), 1)
            if len(line) > MARKDOWN_WIDTH and not re.match(r'\s*(\||\[[^\]]+\]: |([-*>] +)*\S+$)', line)]


# ---- texts name files that there are

def check_named_files(name, text, known):
    """Sources in backquotes, by the end of their path; [ch] is a pair, and what has a word in capitals stands for several."""
    named = {found.replace('[ch]', 'c') for found in re.findall(r'`([\w./-]+\.(?:\[ch\]|[ch]|py|proto|build))`', text)}
    named = {path for path in named if not re.search(r'(?:^|[/-])[A-Z]{2,}\b', path)}
    lost = {path for path in named if not any(f'/{file}'.endswith(f'/{path}') for file in known)}
    return [f'{name}: names {path}, which is no file of the tree' for path in sorted(lost)]


# ---- comments begin with their noun

OPENINGS = r'(?:/\*+[\s*]*|")(What|Whether|Of|Where)\b'


def check_openings(name, text):
    """Of comments, and of messages: a text in code that is a sentence or the beginning of one."""
    return [f'{name}: a comment or a message begins with {word}' for word in re.findall(OPENINGS, text)]


# ---- tests: mirrored names, no waiting by the clock

def check_mirror(name, modules, rows):
    """A unit test is named after a module, with a word before it where two modules have one name, or after a folder
    whose modules it tests together; and it is run."""
    stem = re.fullmatch(r'tests/unit/test-(.*)\.c', name)[1]
    paths = [pathlib.PurePosixPath(module) for module in modules]
    names = {path.stem for path in paths} | {path.parent.name for path in paths}
    mirrored = stem in names or any(stem.endswith('-' + known) for known in names)
    wrong = [] if mirrored else [f'{name}: there is no module {stem}']
    return wrong + ([] if f"'{stem}'" in rows else [f'{name}: has no row in tests/unit/meson.build'])


def check_sleep(name, text):
    return [f'{name}: sleeps' for _ in re.findall(r'\b(?:u|nano)?sleep\(', text)]
