# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schemas, held against what libbenchd makes of messages with every field and of messages with none, and against what fleet_pool()
makes of the machines of the golden documents: each has all fields of its schema and no other.

Arguments: reply-json, the directory of benchd_pb2.py, that of the golden documents. What benchctl makes itself is held against the schemas in
tests/integration/test_pages.py.
"""

import json
import pathlib
import re
import sys

import jsonschema

sys.path.insert(1, str(pathlib.Path(__file__).parents[1]))
from filled import fill, json_of  # noqa: E402
from support import schemas  # noqa: E402

reply_json, generated = sys.argv[1:3]
sys.path.insert(0, generated)
import benchd_pb2 as pb  # noqa: E402

documents = pathlib.Path(sys.argv[3])
ANSWERS = {"listing": pb.Listing, "status": pb.Status, "history": pb.History, "set_governor": pb.SetGovernorReply, "cancel": pb.CancelReply,
           "pin": pb.PinReply, "accepted": pb.Accepted}


def check(validator, document, *wrong):
    """@document is valid; with any of @wrong, each a field and a value, it is not, nor without any of its fields."""
    validator.validate(document)
    for name in document:
        assert not validator.is_valid({key: value for key, value in document.items() if key != name}), f"without {name}"
    for name, value in wrong:
        assert not validator.is_valid({**document, name: value}), f"{name}: {value}"


def check_results():
    validator = schemas.validator("run-result")
    for make in fill, lambda message: message:
        replies = [pb.Reply(id=1, benchmark=make(pb.BenchmarkResult())), pb.Reply(id=1, last=True, result=make(pb.RunResult()))]
        check(validator, json_of(reply_json, replies), ("verdict", "FIT"), ("seed", "7"), ("warnings", None), ("plan", None), ("started_at", 0), ("news", 1))
    results = [value for value in (json.loads(path.read_text()) for path in documents.glob("*.json")) if "run_id" in value]
    assert len(results) > 5
    for result in results:
        result.pop("explain", None)
        validator.validate(result)


def check_answers():
    for field, message in ANSWERS.items():
        definition = re.sub("(?<=.)(?=[A-Z])", "_", message.__name__).lower()
        for make in fill, lambda message: message:
            reply = pb.Reply(id=1, last=True)
            getattr(reply, field).CopyFrom(make(message()))
            if field == "accepted":
                reply.accepted.run_id = "0123"
            schemas.validator("answers", definition).validate(json_of(reply_json, [reply]))


def check_fleets():
    validator = schemas.validator("fleet-result")
    for name in "fleet", "fleet-comparison", "fleet-these":
        document = json.loads((documents / f"{name}.json").read_text())
        check(validator, document, ("verdict", "FIT"), ("warnings", None), ("started_at", 0), ("fleet", None), ("benchmarks", {}))
    document["fleet"]["machines"][0]["result"] = {"verdict": "fit"}
    assert not validator.is_valid(document), "a machine's result is a whole one"


for name in schemas.NAMES:
    jsonschema.Draft202012Validator.check_schema(schemas.read(name))
check_results()
check_answers()
check_fleets()
