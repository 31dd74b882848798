# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of several machines, held against what fleet_pool() makes of the machines of the golden documents.

Together these have each field of the schema and no other; one that lacks a field, or has one of a wrong type, is not valid. The results of the
machines are by the schema of results, which test-schema.py holds against libbenchd.
"""

import copy
import json
import pathlib
import sys

import jsonschema

built, schema_path = map(pathlib.Path, sys.argv[1:])
schema = json.loads(schema_path.read_text())
validator = jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver(schema_path.resolve().as_uri(), schema))


def is_own(reference):
    return reference.startswith("#")


def fields(part, path=""):
    """The dotted paths of every field that this schema names; those of another are one."""
    part = part["oneOf"][1] if "oneOf" in part else part
    if "$ref" in part:
        return fields(schema["$defs"][part["$ref"].split("/")[-1]], path) if is_own(part["$ref"]) else set()
    found = fields(part["items"], path) if "items" in part else set()
    for name, value in part.get("properties", {}).items():
        found |= {path + name} | fields(value, path + name + ".")
    return found


def paths(value, known, path=""):
    """The dotted paths of every field of value, but below those that end in @known: arguments, and parts by another schema."""
    if isinstance(value, list):
        return set().union(*(paths(item, known, path) for item in value))
    if not isinstance(value, dict) or path[:-1].split(".")[-1] in known:
        return set()
    return set().union(*({path + name} | paths(item, known, path + name + ".") for name, item in value.items()))


def places(value):
    """Every object within value that this schema describes."""
    if isinstance(value, list):
        return [place for item in value for place in places(item)]
    if not isinstance(value, dict):
        return []
    return [value] + [place for name, item in value.items() if name not in ("args", "result") for place in places(item)]


def count_undetected(document):
    """Takes each field away in turn; returns how many removals the schema does not notice."""
    undetected = 0
    for i, place in enumerate(places(document)):
        for name in place:
            broken = copy.deepcopy(document)
            del places(broken)[i][name]
            undetected += validator.is_valid(broken)
    return undetected


def without_results(document):
    """The same with no result and a row of each kind, for the many copies of it."""
    small = copy.deepcopy(document)
    for machine in small["fleet"]["machines"]:
        machine["result"] = None
    failed = [row for row in small["benchmarks"] if row["failed"]]
    small["benchmarks"], small["comparisons"] = small["benchmarks"][:1] + failed[:1], small["comparisons"][:1]
    return small


jsonschema.Draft202012Validator.check_schema(schema)
documents = [json.loads((built / f"{name}.json").read_text()) for name in ("fleet", "fleet-comparison", "fleet-these")]
for document in documents:
    validator.validate(document)
    assert count_undetected(without_results(document)) == 0

known = {"args", "result", "error", "time_ns", "cycles", "ratio"}
found = set().union(*(paths(document, known) for document in documents))
assert found == fields(schema), found ^ fields(schema)
assert len(found) > 60, len(found)

run = documents[0]
for path, wrong in ("verdict", "FIT"), ("warnings", None), ("started_at", 0), ("fleet", None), ("benchmarks", {}):
    assert not validator.is_valid({**run, path: wrong}), path
lost = copy.deepcopy(run)
lost["fleet"]["machines"][0]["result"] = {"verdict": "fit"}
assert not validator.is_valid(lost), "a machine's result is a whole one"
print(f"{len(found)} fields")
