# SPDX-License-Identifier: GPL-3.0-or-later
"""Completes the JSON documents that tests show: documents.py DIRECTORY GOLDEN-TABLE RUN-SCHEMA FLEET-SCHEMA FILE...

A file says what is special in its document. An object with the member "of" is a copy of another part, "of": "FILE/MEMBER/INDEX...", with its own
members merged in; items of a list are changed, and added behind the last, by an object with their indexes. All that is said nowhere is as the
schemas have it where a daemon has nothing to say: null, an empty list, an object of such. So each document has a new field without a word.
Of several machines a file has what each of them answered: the numbers over them are what fleet_pool() makes of these.
"""

import functools
import json
import pathlib
import subprocess
import sys

NO_DOCUMENT = "ordinary"  # parts that documents copy
BESIDE_SCHEMA = {"explain"}  # which benchctl adds
DIGITS = 9  # of the numbers over several machines: the last ones are the compiler's


class Documents:
    def __init__(self, schemas, paths):
        self.schemas = {path.name: json.loads(path.read_text()) for path in schemas}
        self.texts = {path.stem: json.loads(path.read_text()) for path in paths}

    @functools.cache
    def copied(self, place):
        """The part at a place such as everything/benchmarks/0."""
        name, *steps = place.split("/")
        value = self.texts[name]
        for step in steps:
            value = self.unfolded(value)[int(step) if isinstance(value, list) else step]
        return self.expanded(value)

    def unfolded(self, value):
        """The value merged with what it is a copy of."""
        if not isinstance(value, dict) or "of" not in value:
            return value
        return merged(self.copied(value["of"]), {name: item for name, item in value.items() if name != "of"})

    def expanded(self, value):
        """The value, all within it unfolded."""
        value = self.unfolded(value)
        if isinstance(value, list):
            return [self.expanded(item) for item in value]
        return {name: self.expanded(item) for name, item in value.items()} if isinstance(value, dict) else value

    def completed(self, value, part, root, place):
        """The value with every field that the @part of a schema, @root, has."""
        if "oneOf" in part:
            if value is None:
                return None
            part = part["oneOf"][1]
        while "$ref" in part:
            file, _, path = part["$ref"].partition("#")
            root = self.schemas[file] if file else root
            part = functools.reduce(lambda at, step: at[step], filter(None, path.split("/")), root)
        if part.get("type") == "array":
            return [self.completed(item, part["items"], root, f"{place}[{i}]") for i, item in enumerate(value or [])]
        if part.get("type") != "object":
            return value
        properties, value = part.get("properties", {}), value or {}
        unknown = value.keys() - properties.keys() - BESIDE_SCHEMA
        assert not unknown or "additionalProperties" in part, f"{place}: no schema has {', '.join(unknown)}"
        return {**value, **{name: self.completed(value.get(name), item, root, f"{place}.{name}") for name, item in properties.items()}}


def merged(base, changes):
    """A copy of something else takes the place of the base."""
    if isinstance(base, dict) and isinstance(changes, dict) and "of" not in changes:
        return {**base, **{name: merged(base.get(name), item) for name, item in changes.items()}}
    if isinstance(base, list) and isinstance(changes, dict):
        items = {**dict(enumerate(base)), **{int(i): merged(base[int(i)] if int(i) < len(base) else None, item) for i, item in changes.items()}}
        return [items[i] for i in range(len(items))]
    return changes


def rounded(value):
    if isinstance(value, (dict, list)):
        return {name: rounded(item) for name, item in value.items()} if isinstance(value, dict) else [rounded(item) for item in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def pooled(program, document):
    run = subprocess.run([program, "/dev/stdin", "pool"], input=json.dumps(document), stdout=subprocess.PIPE, check=True, text=True)
    return rounded(json.loads(run.stdout))


def main(directory, program, *names):
    paths = [pathlib.Path(name) for name in names]
    run_schema, fleet_schema = paths[:2]
    documents = Documents(paths[:2], paths[2:])
    for name in documents.texts.keys() - {NO_DOCUMENT}:
        document = documents.expanded(documents.texts[name])
        if "fleet" in document or "verdict" in document:
            schema = documents.schemas[(fleet_schema if "fleet" in document else run_schema).name]
            document = documents.completed(document, schema, schema, name)
        if "fleet" in document:
            document = pooled(program, document)
        (pathlib.Path(directory) / f"{name}.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
