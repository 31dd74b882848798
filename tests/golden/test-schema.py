# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of results, held against what libbenchd makes of messages with every field and of messages with none.

Both ways: what libbenchd makes is valid and has exactly the schema's fields; and a result that lacks any field, or has one
of a wrong type, is not valid.
"""

import copy
import json
import pathlib
import sys

import jsonschema
from filled import fill, json_of

program, schema_path, generated, documents = sys.argv[1:]
sys.path.insert(0, generated)
import benchd_pb2 as pb  # noqa: E402


def result_json(benchmarks, result):
    replies = [pb.Reply(id=1, benchmark=benchmark) for benchmark in benchmarks] + [pb.Reply(id=1, last=True, result=result)]
    return json_of(program, replies)


def resolve(schema, root):
    while "$ref" in schema or "oneOf" in schema:
        schema = schema["oneOf"][1] if "oneOf" in schema else root["$defs"][schema["$ref"].split("/")[-1]]
    return schema


def fields(schema, root, path=""):
    """The dotted paths of every field that the schema names."""
    schema = resolve(schema, root)
    found = set()
    for name, value in schema.get("properties", {}).items():
        found |= {path + name} | fields(value, root, path + name + ".")
    if "items" in schema:
        found |= fields(schema["items"], root, path)
    return found


def paths(value, path=""):
    """The dotted paths of every field of value, without the names of arguments and counters."""
    if isinstance(value, list):
        return set().union(*(paths(item, path) for item in value))
    if not isinstance(value, dict) or path.endswith(("args.", "counters.")):
        return set()
    return set().union(*({path + name} | paths(item, path + name + ".") for name, item in value.items()))


def places(value):
    """Every object within value."""
    if isinstance(value, list):
        return [place for item in value for place in places(item)]
    if not isinstance(value, dict):
        return []
    return [value] + [place for item in value.values() for place in places(item)]


def count_undetected(full, validator):
    """Takes each field away in turn; returns how many removals the schema does not notice."""
    undetected = 0
    for i, place in enumerate(places(full)):
        for name in place:
            broken = copy.deepcopy(full)
            del places(broken)[i][name]
            undetected += validator.is_valid(broken) and name != "text"  # "text": an argument's or a counter's own name
    return undetected


def main():
    schema = json.loads(pathlib.Path(schema_path).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    full = result_json([fill(pb.BenchmarkResult())], fill(pb.RunResult()))
    empty = result_json([pb.BenchmarkResult()], pb.RunResult())
    for value in full, empty:
        validator.validate(value)

    of_schema, of_library = fields(schema, schema), paths(full)
    assert of_schema == of_library, of_schema ^ of_library
    assert len(of_schema) > 150, len(of_schema)
    assert count_undetected(full, validator) == 0
    for path, wrong in ("verdict", "FIT"), ("seed", "7"), ("warnings", None), ("plan", None), ("started_at", 0):
        assert not validator.is_valid({**full, path: wrong}), path
    results = [value for value in (json.loads(path.read_text()) for path in pathlib.Path(documents).glob("*.json")) if "run_id" in value]
    assert len(results) > 5
    for result in results:
        validator.validate(result)


main()
