# SPDX-License-Identifier: GPL-3.0-or-later
"""Who needs whom among our sources in C, by the symbols of their objects: an include may be missing or too many."""

import json
import pathlib
import re
import subprocess

import tree

FOLDERS = ('client/', 'common/', 'daemon/', 'proto/')


def objects(build):
    """An object in @build of each source of the product; several programs may compile one."""
    found = {}
    for command in json.loads((build / 'compile_commands.json').read_text()):
        source = pathlib.Path(command['directory'], command['file']).resolve()
        if source.is_relative_to(tree.ROOT) and source.suffix == '.c':
            name = source.relative_to(tree.ROOT).as_posix()
            if name.startswith(FOLDERS):
                found.setdefault(name, build / command['output'])
    return found


def symbols(paths):
    """Of each of the objects at @paths: the names that it defines for others, and those that it wants of others."""
    done = subprocess.run(['nm', '--portability', '--extern-only', '--print-file-name', *paths], capture_output=True, text=True, check=True)
    tables = {str(path): (set(), set()) for path in paths}
    for path, name, kind in re.findall(r'^(.*?): (\S+) (\S)', done.stdout, re.M):
        tables[path][kind in 'Uvw'].add(name)
    return list(tables.values())


def needs(tables):
    """Which sources each source needs, from what each defines and wants."""
    owners = {name: source for source, (defined, _) in tables.items() for name in defined}
    return {source: {owners[name] for name in wanted if name in owners} - {source}
            for source, (_, wanted) in tables.items()}


def reachable(graph, source):
    found, todo = set(), [source]
    while todo:
        for other in graph[todo.pop()] - found:
            found.add(other)
            todo.append(other)
    return found


def python_needs(folder):
    """Which modules of the package in @folder each one imports, wherever in it the import stands."""
    names = {path.stem for path in folder.glob('*.py')}
    return {path.stem: set(re.findall(r'^\s*from \.(\w+) import', path.read_text(), re.M)) & names | {
        name for line in re.findall(r'^\s*from \. import (.*)', path.read_text(), re.M) for name in re.findall(r'\w+', line) if name in names}
        for path in sorted(folder.glob('*.py'))}


def circles(graph):
    """The sets of sources that need each other, by way of others or not."""
    reached = {source: reachable(graph, source) for source in graph}
    rings = {frozenset(other for other in reached[source] if source in reached[other]) for source in graph
             if source in reached[source]}
    return sorted(sorted(ring) for ring in rings)


def room_of(source):
    """The folder of a source that has rooms, and the number of its room, from 0, the highest; -1 of one that may see all."""
    folder = next((folder for folder in tree.ROOMS if source.startswith(folder + '/')), None)
    room = source[len(folder) + 1:].split('/')[0] if folder else None
    return folder, tree.ROOMS[folder].index(room) if folder and room in tree.ROOMS[folder] else -1


def upward(graph):
    """The needs of a source for one in a room above its own."""
    return sorted(f'{source} needs {other}' for source in graph for other in graph[source]
                  if room_of(source)[0] and room_of(other)[0] == room_of(source)[0] and room_of(other) < room_of(source))


def uncalled(tables, texts):
    """The names that a source defines for others and that none wants; in its own text they stand once."""
    wanted = set().union(*(names for _, names in tables.values()))
    return sorted(f'{source}: {name}' for source, (defined, _) in tables.items() for name in defined - wanted
                  if len(re.findall(rf'\b{name}\b', texts[source])) == 1)


# ---- names

# Words that begin the names of a module besides its own.
AGREED = {
    'client/ctl/model/result': ('row',),  # of which a result has several
    'daemon/ops/block': ('sample', 'listing', 'calibration', 'memory', 'runner'),  # the kinds of blocks, and what a runner says in any
    'daemon/ops/runner-plan': ('clock',),  # the calibration, which the plan brings to the runner
}

# Modules that stand in for functions of libc.
STAND_INS = ('daemon/runner/count/', 'daemon/runner/load/own-calls')


def singular(word):
    return re.sub(r'(?<=[^s])s$', '', re.sub(r'ies$', 'y', re.sub(r'(ch|sh|ss|x)es$', r'\1', word)))


def belongs(words, module):
    """True if the @words of a name begin as the name of @module does, a path without a suffix, be it by its folder's word; the number of no word tells."""
    module = pathlib.PurePath(module)
    begin = singular(words[0])
    return begin in {singular(module.name.split('-')[0]), singular(module.parent.name), *AGREED.get(module.as_posix(), ())}


def words_of(name):
    """Those of the name of a function, of a number of things (n_...), or of a type."""
    if '_' in name or name.islower():
        return name.removeprefix('n_').split('_')
    return [word.lower() for word in re.findall(r'[A-Z][a-z0-9]*', name)]


def code(text):
    """The C in @text without its comments and strings."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', ' ', text, flags=re.S)


def types(text):
    """The types that a header defines, which begin with a capital."""
    return {name for pattern in (r'^(?:typedef )?(?:struct|enum|union) ([A-Z]\w+) \{', r'^\} ([A-Z]\w+);', r'^typedef [^;{]*?\(\*([A-Z]\w+)\)\(',
                                 r'^typedef [^;{(]*\b([A-Z]\w+)(?:\(.*\)|\[.*\])?;')
            for name in re.findall(pattern, code(text), re.M)} - set(re.findall(r'^typedef (?:struct|union|enum) \w+ ([A-Z]\w+);', code(text), re.M))


def astray(tables, headers):
    """The names that sources define for others, and the types of @headers, whose first word is of neither the source nor the header."""
    declared = {}
    for header, text in headers.items():
        for name in set(re.findall(r'\b[a-z_]\w*(?=[(\[;,])', code(text))):
            declared.setdefault(name, []).append(header)
    functions = [(name, [source, *declared.get(name, [])]) for source, (defined, _) in tables.items() for name in defined]
    return sorted(f'{files[0]}: {name}' for name, files in functions + [(name, [header]) for header, text in headers.items() for name in types(text)]
                  if not any(belongs(words_of(name), file.rsplit('.', 1)[0]) for file in files))
