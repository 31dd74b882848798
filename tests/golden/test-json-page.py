# SPDX-License-Identifier: GPL-3.0-or-later
"""benchd-json(5) tells each field of the JSON Schema and of the other answers, its type and its unit, and nothing else.

Arguments: reply-json, front-tables.json, the schemas of results of one machine and of several, the directory of benchd_pb2.py. The rest of the page, which benchctl makes itself,
is held against its answers in tests/integration/test_pages.py.
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(1, str(pathlib.Path(__file__).parents[1]))

from filled import fill, json_of  # noqa: E402
from support import pages  # noqa: E402

program, tables, schema_path, fleet_path, generated = sys.argv[1:]
sys.path.insert(2, generated)
import benchd_pb2 as pb  # noqa: E402

schema = json.loads(pathlib.Path(schema_path).read_text())
fleet_schema = json.loads(pathlib.Path(fleet_path).read_text())
roff = pages.page("benchd-json.5")
told = pages.objects(roff)
UNITS = {"_ns": "ns", "_ms": "ms", "_s": "s", "_ticks": "ticks", "_hz": "Hz", "hz": "Hz", "_ppm": "ppm", "_bytes": "bytes", "_share": "share"}
ITEMS = {"string": "strings", "integer": "integers", "number": "numbers"}


def kind_of(value):
    """The page's word for the type of a property of the schema."""
    if "oneOf" in value:
        return kind_of(value["oneOf"][1])
    if "$ref" in value:
        name = value["$ref"].split("/")[-1]
        return {"run-result.schema.json": "result", "over": "word"}.get(name, name)
    if "enum" in value:
        return "word"
    kinds = [value["type"]] if isinstance(value["type"], str) else [kind for kind in value["type"] if kind != "null"]
    if kinds == ["array"]:
        kind = kind_of(value["items"])
        return "list of " + ITEMS.get(kind, kind)
    return kinds[0]


def compare(name, properties):
    assert told[name].keys() == properties.keys(), f"benchd-json.5, {name}: {told[name].keys() ^ properties.keys()}"
    for field, value in properties.items():
        kind, unit, text = told[name][field]
        assert kind == kind_of(value), f"benchd-json.5: {name}.{field} has the type {kind_of(value)}, not {kind}"
        for word in value.get("enum", []):
            assert word is None or re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text), f"benchd-json.5: {name}.{field} may be {word}"


def check_units():
    for name, fields in told.items():
        for field, (kind, unit, _) in fields.items():
            meant = next((unit for suffix, unit in UNITS.items() if field.endswith(suffix)), None)
            if meant and kind in ("integer", "number", "quantity", "time", "interval"):
                assert unit == meant, f"benchd-json.5: the unit of {name}.{field} is {meant}"
            assert unit is None or kind not in ("string", "word", "boolean"), f"benchd-json.5: {name}.{field} has a unit"


def check_answers(seen):
    answers = {
        "status": pb.Reply(status=fill(pb.Status())),
        "listing": pb.Reply(listing=fill(pb.Listing())),
        "history": pb.Reply(history=fill(pb.History())),
        "governor": pb.Reply(set_governor=fill(pb.SetGovernorReply())),
        "cancelled": pb.Reply(cancel=fill(pb.CancelReply())),
        "pinned": pb.Reply(pin=fill(pb.PinReply())),
        "accepted": pb.Reply(accepted=fill(pb.Accepted())),
    }
    for name, reply in answers.items():
        reply.id, reply.last = 1, True
        wrong = pages.differences(json_of(program, [reply]), name, told, seen)
        assert wrong == [], f"benchd-json.5: {wrong}"


def names_of(definition):
    """Those of its properties, and of the objects in them and in their lists."""
    for name, value in definition.get("properties", {}).items():
        yield name
        yield from names_of(value.get("items", value))


# A part of a result has no objects of its own: the entry of its option names its fields.
entry = re.search(r"^\.TP\n\.B \\-\\-brief\n(.*?)^\.TP", pages.page("benchctl.1"), re.M | re.S)[1]
briefs = set(names_of(schema["$defs"].pop("brief"))) | set(names_of(fleet_schema["$defs"].pop("brief")))
missing = briefs - set(re.findall(r"\w+", entry))
assert not missing, f"benchctl(1), --brief: {missing}"

of_fleet = {name: definition for name, definition in fleet_schema["$defs"].items() if "properties" in definition}
of_schema = {"result": schema, "fleet_result": fleet_schema, **schema["$defs"], **of_fleet}
for name, definition in of_schema.items():
    compare(name, definition["properties"])
check_units()
seen = set(of_schema)
check_answers(seen)
by_benchctl = {"trend", "trend_row", "trend_drift", "trend_run", "side_by_side", "head", "both", "source", "disasm", "inspected_benchmark", "loop",
               "call", "function", "instruction", "source_file", "limit", "measured", "explain", "side", "row", "called"}
assert told.keys() == seen | by_benchctl, f"benchd-json.5 tells what nothing answers with: {told.keys() ^ (seen | by_benchctl)}"

kinds = [warning["kind"] for warning in json.loads(pathlib.Path(tables).read_text())["warnings"]]
assert pages.tags(pages.section(roff, "FINDINGS")) == kinds, set(pages.tags(pages.section(roff, "FINDINGS"))) ^ set(kinds)
assert pages.differences({"x": 1}, "run", told, set()) and pages.differences_of_field("1", "integer", "x", told, set())
print(f"the page tells {sum(map(len, told.values()))} fields")
