# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats for other programs, read back: by the program where Debian has it and it is small, else by a parser of its grammar."""

import copy
import csv
import io
import itertools
import json
import random
import re
import shutil
import statistics
import subprocess
import urllib.parse

import jsonschema
import pytest

from support import drawn, schemas
from support.benchctl import BENCHMARK, BRIEF, USAGE, Benchctl

TOUCHES = "show-* show"


RUN, COMPARISON, FLEET, FLEET_COMPARISON = map(drawn.golden, ("everything", "comparison", "fleet", "fleet-comparison"))
HOSTILE = "`touch seized`$(touch seized)|<b>_x_\\"
ENDS = "'; system(\"touch seized\") #"
MODULE = 'BENCH(one, .area = "a", .args = BENCH_ARGS(n, 1, 2, 4)) { bench_bytes(b, 8); bench_loop(b) bench_clobber(); }\n' \
         'BENCH(two, .area = "a") { bench_loop(b) bench_clobber(); }\n'


@pytest.fixture
def written(build, tmp_path):
    """The text of a result in a format, by the function that benchctl has."""
    def write(result, name):
        path = tmp_path / "result.json"
        path.write_text(json.dumps(result))
        done = subprocess.run([build / "tests/golden/golden-table", path, name], capture_output=True, check=True)
        return done.stdout.decode()
    return write


def hostile():
    """A result whose module chose its texts to do harm elsewhere."""
    result = copy.deepcopy(RUN)
    result["module"]["name"] = HOSTILE
    row = result["benchmarks"][0]
    for sweep in result["benchmarks"][:3]:
        sweep["args"] = {HOSTILE: sweep["args"]["n"]}
    row["title"] = HOSTILE
    row["label"], row["args"]["s"], row["counters"] = '=HYPERLINK("x")', HOSTILE, {'a,"b"': 1.5}
    return result


def hostile_fleet():
    """A run on several machines whose names and words were chosen to do harm elsewhere."""
    document = json.loads(json.dumps(FLEET).replace('"cedar"', json.dumps(HOSTILE)))
    document["fleet"]["machines"][0]["result"]["module"]["name"] = HOSTILE
    document["fleet"]["classes"][0]["brand"] = document["warnings"][0]["text"] = HOSTILE
    document["benchmarks"][4]["failed"].update(machine="=HYPERLINK(1)", message=HOSTILE)
    return document


def timed(result):
    return [row for row in result["benchmarks"] if row["failed"] is None and row["time_ns"]["point"] is not None]


def path_of(row):
    threads = [f"threads={row['threads']}"] if (row.get("threads") or 1) > 1 else []
    return "/".join([row["area"], row["name"], *(f"{name}={value}" for name, value in row["args"].items()), *threads])


# ---- csv

def read_csv(text):
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert text.count("\r\n") == text.count("\n") == len(rows), "RFC 4180 ends each record in CRLF"
    assert {len(row) for row in rows} == {len(rows[0])} and len(set(rows[0])) == len(rows[0])
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def test_csv_has_a_row_a_benchmark_with_plain_numbers(written):
    rows = read_csv(written(RUN, "csv"))
    assert len(rows) == len(RUN["benchmarks"])
    for row, benchmark in zip(rows, RUN["benchmarks"]):
        time = benchmark["time_ns"]["point"] if benchmark["failed"] is None else None
        assert (float(row["time_ns"]) if row["time_ns"] else None) == time
        assert row["arg_n"] == str(benchmark["args"].get("n", "")) and row["benchmark"] == benchmark["name"]
        assert (row["failed"] or None) == (benchmark["failed"] or {}).get("code")
    assert rows[4]["counter_compares"] == "541" and rows[0]["counter_compares"] == ""


def test_csv_of_a_comparison_has_a_row_a_pair(written):
    rows = read_csv(written(COMPARISON, "csv"))
    assert [row["verdict"] for row in rows] == [pair["verdict"] or "" for pair in COMPARISON["comparisons"]]
    assert rows[0]["old_ns"] == "2720" and float(rows[0]["ratio_low"]) == COMPARISON["comparisons"][0]["ratio"]["low"]


@pytest.mark.parametrize("document, list_name, value", [(FLEET, "benchmarks", "time"), (FLEET_COMPARISON, "comparisons", "ratio")])
def test_csv_of_several_machines_has_a_row_over_them_and_one_for_each(written, document, list_name, value):
    rows, column, path = iter(read_csv(written(document, "csv"))), *({"time": ("time_ns", "time_ns"), "ratio": ("ratio", "ratio")}[value])
    number = lambda text: float(text) if text else None  # noqa: E731
    for told in document[list_name]:
        row = next(rows)
        assert (row["machine"], row["over"] or None, number(row[column])) == ("", told["over"], told[path]["point"])
        assert (row["failed_machine"] or None) == (told["failed"] or {}).get("machine")
        for machine in told["machines"]:
            row = next(rows)
            assert (row["machine"], row["over"], number(row[column])) == (machine["name"], "", machine["point"])
            assert row["benchmark"] == told["name"] and row["machine_class"] == told["machine_class"]
            assert row["odd"] == str(machine["odd"]).lower() and int(row["processes"]) == machine["processes"]
    assert next(rows, None) is None


def test_csv_gives_a_spreadsheet_no_formula(written):
    failed = [row for row in read_csv(written(hostile_fleet(), "csv")) if row["failed"]]
    assert failed[0]["failed_machine"] == "'=HYPERLINK(1)" and failed[0]["message"] == HOSTILE
    row = read_csv(written(hostile(), "csv"))[0]
    assert row["label"] == "'=HYPERLINK(\"x\")" and row["arg_s"] == HOSTILE and row['counter_a,"b"'] == "1.5" and row["arg_" + HOSTILE] == "16"
    assert read_csv(written(RUN, "csv"))[3]["time_ns"] == "-0.012", "a number below zero is none"


# ---- Markdown

def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_markdown_is_one_whole_table_with_its_outcome(written):
    for result in RUN, COMPARISON, hostile(), FLEET, FLEET_COMPARISON, hostile_fleet():
        lines = written(result, "markdown").splitlines()
        table = [cells(line) for line in lines if line.startswith("|")]
        assert len({len(row) for row in table}) == 1 and all(re.fullmatch(":--|--:", cell) for cell in table[1])
        assert lines[2].startswith("**") and lines[-1] == "</details>"
    for result in COMPARISON, FLEET_COMPARISON:
        assert "**1 slower** (sorting/quicksort n=1600)" in written(result, "markdown")


def test_markdown_is_read_as_it_was_meant(written):
    if not shutil.which("cmark-gfm"):
        pytest.skip("cmark-gfm is missing")
    for result, rows in (FLEET, 12), (FLEET_COMPARISON, 3), (hostile_fleet(), 12), (RUN, 11), (COMPARISON, 7), (hostile(), 11):
        html = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough"], input=written(result, "markdown"),
                              capture_output=True, text=True, check=True).stdout
        assert html.count("<tr>") == rows + 1 and html.count("<table>") == html.count("<details>") == html.count("</details>") == 1
        assert "<b>" not in html and "<em>x</em>" not in html and html.count("<h3>") == 1
    assert "<h3>`touch seized`$(touch seized)|&lt;b&gt;_x_\\ at 4b825dc642cb-dirty</h3>" in html


# ---- gnuplot

def draw(script, directory, *words):
    (directory / "x.gp").write_text(script)
    done = subprocess.run(["gnuplot", *words, "x.gp"], cwd=directory, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def data_sets(script):
    """The data sets of a script, by gnuplot's own rule: two empty lines part them."""
    data = script.partition("<< END_OF_DATA\n")[2].partition("\nEND_OF_DATA")[0]
    return [[line.split() for line in block.splitlines() if line and line[0] != "#"] for block in data.split("\n\n\n")]


@pytest.mark.parametrize("result, sizes", [(RUN, [3, 1, 2]), (COMPARISON, [6, 2, 2, 4, 4])], ids=["run", "comparison"])
def test_gnuplot_draws_each_data_set(written, tmp_path, result, sizes):
    if not shutil.which("gnuplot"):
        pytest.skip("gnuplot is missing")
    script = written(result, "gnuplot")
    assert [len(rows) for rows in data_sets(script)] == sizes
    assert "with errorlines" in script and "set logscale xy" in script

    draw(script, tmp_path, "-e", "picture='x.svg'")
    picture = (tmp_path / "x.svg").read_text()
    assert picture.rstrip().endswith("</svg>") and picture.count("quicksort n=" if result is COMPARISON else "memchr") >= 1
    assert "*" in draw(script, tmp_path), "without a name it draws in the terminal"
    draw(script, tmp_path, "-e", "picture='x.ps'")
    assert (tmp_path / "x.ps").read_bytes().startswith(b"%!PS")
    # what a reader finds by index is what the file says
    told = draw(script + "".join(f"stats $benchd index {i} using 0 nooutput\nprint STATS_records\n" for i in range(len(sizes))),
                tmp_path, "-e", "picture='y.svg'; set print '-'")
    assert [int(number) for number in re.findall(r"^(\d+)(?:\.0)?$", told, re.M)] == sizes


def test_an_axis_of_ratios_has_1_the_margin_and_all_intervals(written):
    for factor in 1, 0.15, 6:
        result = copy.deepcopy(COMPARISON)
        for row in result["comparisons"]:
            row["ratio"] = {key: value and value * factor for key, value in row["ratio"].items()}
        low, high = map(float, re.search(r"set xrange \[(.*?):(.*?)\]", written(result, "gnuplot")).groups())
        ratios = [row["ratio"] for row in result["comparisons"] if row["ratio"]["point"]]

        assert low < min(0.995, *(ratio["low"] for ratio in ratios)) and high > max(1.005, *(ratio["high"] for ratio in ratios))


def test_an_older_method_has_its_deviation_as_error_bars(written):
    """As its author's own lines have it."""
    result = drawn.golden("mark6")
    raw = result["benchmarks"][0]["time_ns"]["raw"]
    row = [float(number) for number in data_sets(written(result, "gnuplot"))[0][0][1:4]]

    assert raw["stddev"] > 0 and row == pytest.approx([raw["mean"], raw["mean"] - raw["stddev"], raw["mean"] + raw["stddev"]])


RUNS = [("2026-11-27T10:00:00.000Z", "aa"), ("2026-11-27T10:00:02.000Z", "aa"), ("2026-11-27T10:00:01.000Z", "bb")]


def test_a_history_joins_runs_of_equal_conditions_and_has_few_dates(build, tmp_path):
    if not shutil.which("gnuplot"):
        pytest.skip("gnuplot is missing")
    state = tmp_path / "state/benchd/results"
    state.mkdir(parents=True, mode=0o700)
    for index, (started, key) in enumerate(RUNS):
        result = dict(drawn.golden("plain"), run_id=f"{index:032x}", started_at=started, comparability_key=key)
        (state / f"{result['run_id']}.json").write_text(json.dumps(result))
    Benchctl(build, cwd=tmp_path, TZ="UTC", XDG_STATE_HOME=tmp_path / "state")("history", "--private", "*/add", "-o", "h.gp")
    script = (tmp_path / "h.gp").read_text()
    draw(script, tmp_path, "-e", "picture='h.svg'")
    labels = re.findall(r">\s*(\d\d:\d\d:\d\d)\s*<", (tmp_path / "h.svg").read_text())

    assert sorted(len(rows) for rows in data_sets(script)) == [1, 2]
    assert 2 <= len(labels) <= 8 and len(set(labels)) == len(labels)


def test_mark_lines_tell_platform_verdict_and_findings_in_comments_that_gnuplot_skips(written, tmp_path):
    lines = written(RUN, "mark").split("\n")
    comments = [line for line in lines if line.startswith("#")]
    assert all(words in comments[0] for words in ("Linux 6.1", "gcc 12.2.0", "family 25, model 33, stepping 2", "microcode 0x", "L1 data 32 KiB"))
    assert comments[1].startswith("# Partial") and "Job 0011" in comments[1]
    advices = {finding["advice"] for row in RUN["benchmarks"] for finding in row["findings"] or []}
    assert advices and all(any(line.startswith(f"# - {advice}") for line in comments) for advice in advices)
    memchr = [line.split() for line in lines if line.startswith("memchr")]
    assert [row[1] for row in memchr] == ["16", "1000", "67108864"] and all(len(row) == 5 for row in memchr)
    if not shutil.which("gnuplot"):
        pytest.skip("gnuplot is missing")
    (tmp_path / "sort.out").write_text("\n".join(lines))
    draw("set term dumb; set logscale xy; plot 'sort.out' using 2:3:4 with errorlines\n", tmp_path)
    told = draw("set print '-'; stats 'sort.out' index 0 using 2:3 nooutput; print STATS_records, STATS_max_x\n", tmp_path)
    assert told.split() == ["3", "67108864.0"]


@pytest.mark.parametrize("suffix, begins", [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("eps", b"%!PS")])
def test_a_picture_is_written_by_its_suffix(build, tmp_path, suffix, begins):
    (tmp_path / "r.json").write_text(json.dumps(COMPARISON))
    benchctl = Benchctl(build, cwd=tmp_path)
    if not shutil.which("gnuplot"):
        pytest.skip("gnuplot is missing")
    benchctl("show", "./r.json", "-o", f"x.{suffix}")
    assert (tmp_path / f"x.{suffix}").read_bytes().startswith(begins)


def test_a_picture_of_nothing_is_no_file(build, tmp_path):
    if not shutil.which("gnuplot"):
        pytest.skip("gnuplot is missing")
    result = copy.deepcopy(RUN)
    result["benchmarks"] = [row for row in result["benchmarks"] if row["failed"]]
    (tmp_path / "r.json").write_text(json.dumps(result))
    done = Benchctl(build, cwd=tmp_path)("show", "./r.json", "-o", "x.svg", expect=BENCHMARK)
    assert "No benchmark has a time." in done.stderr and "Cannot write x.svg" in done.stderr
    assert not (tmp_path / "x.svg").exists()


def test_a_picture_without_gnuplot_is_refused_before_anything_is_done(build, tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(RUN))
    done = Benchctl(build, cwd=tmp_path)("show", "./r.json", "-o", "x.svg", expect=USAGE, PATH="/nowhere")
    assert "drawn by gnuplot, which is not on the PATH" in done.stderr and "gnuplot-nox" in done.stderr
    assert not (tmp_path / "x.svg").exists()


def test_gnuplot_runs_no_text_of_a_module(written, tmp_path):
    if not shutil.which("gnuplot"):
        pytest.skip("gnuplot is missing")
    script = written(hostile(), "gnuplot")
    assert "`" not in script and "touch seized" in script
    draw(script, tmp_path, "-e", "picture='x.svg'")
    assert not (tmp_path / "seized").exists()
    for text in ENDS, "`" + ENDS, '"' + ENDS, "x" + ENDS, "\\" + ENDS:
        result = copy.deepcopy(RUN)
        for i, row in enumerate(result["benchmarks"]):
            row["name"], row["area"] = (text, row["area"]) if i < 4 else (row["name"], text)
        draw(written(result, "gnuplot"), tmp_path, "-e", "picture='x.svg'")
        assert not (tmp_path / "seized").exists(), text


# ---- Sestoft

def test_mark_has_his_columns(written):
    """By the format of his program: "%-25s %s%15.1f %10.2f %10d"."""
    lines = [line for line in written(RUN, "mark").splitlines() if line and line[0] != "#"]
    expected = []
    for row in timed(RUN):
        info = "".join(f"{value:8d}" for value in row["args"].values())
        raw = row["time_ns"]["raw"]
        expected.append(f"{row['name']:<25s} {info}{raw['mean']:15.1f} {raw['stddev']:10.2f} {int(row['iterations_per_sample']):10d}")
    assert lines == expected


# ---- Google Benchmark, Go, Bencher

def test_gbench_has_what_its_readers_need(written):
    document = json.loads(written(RUN, "gbench"), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert {"date", "num_cpus", "mhz_per_cpu", "caches", "load_avg", "library_build_type"} <= set(document["context"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", document["context"]["date"])
    entries = document["benchmarks"]
    for entry in entries:
        assert {"name", "run_name", "run_type", "iterations", "real_time", "cpu_time", "time_unit"} <= set(entry)
        assert entry["run_type"] == "iteration" and entry["time_unit"] == "ns"
    assert {entry["name"]: entry["real_time"] for entry in entries if "error_occurred" not in entry and "skipped" not in entry} == \
        {path_of(row): row["time_ns"]["point"] for row in timed(RUN)}
    assert [entry["name"] for entry in entries if entry.get("error_occurred")] == ["sorting/broken/n=1"]
    assert len({(entry["family_index"], entry["per_family_instance_index"]) for entry in entries}) == len(entries)

    compared = json.loads(written(COMPARISON, "gbench"))["benchmarks"]
    assert {entry["name"]: entry["real_time"] for entry in compared if "error_occurred" not in entry and "skipped" not in entry} == \
        {f"{row['side']}/{path_of(row)}": row["time_ns"]["point"] for row in timed(COMPARISON)}


@pytest.mark.parametrize("name", ["commands", "commands-compared"])
def test_hyperfine_has_every_run_and_its_own_figures(written, name):
    result = drawn.golden(name)
    new, old = ([row for row in result["benchmarks"] if (row["side"] == "old") is reference] for reference in (False, True))
    entries = json.loads(written(result, "hyperfine"))["results"]
    assert [entry["command"] for entry in entries] == [row["title"] for row in old[:1] + new]
    for entry, rows in zip(entries, [old] * bool(old) + [[row] for row in new]):
        samples = [process["samples"] for row in rows for process in row["processes"]]
        times = [time * 1e-9 for each in samples for time in each["time_ns"]]
        assert entry["times"] == pytest.approx(times) and entry["exit_codes"] == [0] * len(times)
        assert entry["memory_usage_byte"] == [size for each in samples for size in each["counters"]["max_rss_bytes"]]
        for figure, value in {"mean": statistics.mean(times), "stddev": statistics.stdev(times), "median": statistics.median(times),
                              "min": min(times), "max": max(times)}.items():
            assert entry[figure] == pytest.approx(value), figure
        assert entry["user"] == pytest.approx(rows[0]["counters"]["user_ns"] * 1e-9)


def test_hyperfine_takes_any_result(written):
    entries = json.loads(written(RUN, "hyperfine"))["results"]
    assert {entry["command"]: entry["mean"] for entry in entries} == \
        pytest.approx({path_of(row): row["time_ns"]["raw"]["mean"] * 1e-9 for row in timed(RUN)})
    assert entries[0]["parameters"] and "times" not in entries[0]


def read_go(text):
    """Results by their keys and name, of Go's benchmark format: lines by their beginning, the rest is passed over."""
    keys, results = {}, []
    for line in text.splitlines():
        key = re.fullmatch(r"([a-z][^\sA-Z:]*):(?:[ \t]+(.*))?", line)
        if line.startswith("Benchmark"):
            name, iterations, *pairs = line.split()
            assert int(iterations) > 0 and pairs and len(pairs) % 2 == 0, line
            # what the services that draw charts take for a result
            assert re.match(r"^(Benchmark\w+[\w()$%^&*-=|,[\]{}\"#]*?)(-\d+)?\s+(\d+)\s+(.+)$", line), line
            name, threads = re.fullmatch(r"Benchmark(.*?)(?:-(\d+))?", name).groups()
            results.append((dict(keys), name, threads, {unit: float(value) for value, unit in zip(pairs[::2], pairs[1::2])}))
        elif key:
            keys[key[1]] = key[2]
    return results


def test_go_has_a_line_a_process(written):
    results = read_go(written(RUN, "go"))
    rows = timed(RUN)
    expected = [process["median_ns"] for row in rows for process in row["processes"]]
    assert [values["ns/op"] for _, _, _, values in results] == expected and len(expected) > len(rows)
    assert {keys["pkg"] for keys, *_ in results} == {row["area"] for row in rows}
    by_name = {name: threads for _, name, threads, _ in results}
    assert by_name["Qsort_int/n=100/spread=-3"] == "1", "an argument below zero is no number of threads"
    assert by_name["Long_one"] == "2" and by_name["Memchr/n=16"] is None
    assert all(abs(values["MB/s"] * values["ns/op"] / results[0][3]["MB/s"] / results[0][3]["ns/op"] - 1) < 1e-9
               for _, name, _, values in results if name == "Memchr/n=16")
    sides = [keys["side"] for keys, *_ in read_go(written(COMPARISON, "go"))]
    assert sides == sorted(sides, reverse=True) and set(sides) == {"old", "new"}
    hostile_name = read_go(written(hostile(), "go"))[0][1]
    assert urllib.parse.unquote(hostile_name) == f"Memchr/{HOSTILE}=16/s={HOSTILE}"
    assert not re.search(r"[`>\\]", hostile_name)


# Area, name, arguments, threads.
LIKE_EACH_OTHER = [
    *[("a", name, {}, 1) for name in ("sort", "Sort", "_sort", "_Sort", "__sort", "sOrt", "1sort", ".sort", "sort-2", "so.rt", "so+rt")],
    ("a", "sort", {}, 2), ("a", "sort-2", {}, 2), ("A", "sort", {}, 1), ("b", "sort", {}, 1), (None, "sort", {}, 1),
    *[("a", "text", {"s": text}, 1) for text in ("a@b", "a_b", "a%b", "a%40b", "a:b", "a.b", "A@b", "a+b", "é", "e", "a b", "a/b", "50%", "-3")],
    ("a", "text", {"s": "-3"}, 3), ("a", "text", {"s": "a", "b": ""}, 1), ("a", "text", {"s": "a/b="}, 1), ("a", "text/s=a", {"b": ""}, 1),
    ("a", "text", {"s": 1}, 1), ("a", "text", {"s": 1}, 2), ("a", "text", {"s": 1, "t": 2}, 1), ("a", "text", {"S": 1}, 1),
]


def with_rows(rows):
    """A result of rows that are alike but for their names; the time of each tells which it is."""
    result = copy.deepcopy(RUN)
    model = result["benchmarks"][0]
    result["benchmarks"] = [
        {**model, "area": area, "name": name, "args": args, "threads": threads,
         "processes": [{**process, "median_ns": 100.0 + i} for process in model["processes"]]}
        for i, (area, name, args, threads) in enumerate(rows)]
    return result


@pytest.mark.parametrize("seed", range(3))
def test_go_gives_no_two_benchmarks_one_name(written, seed):
    rows = random.Random(seed).sample(LIKE_EACH_OTHER, len(LIKE_EACH_OTHER))
    times = {}
    for keys, name, threads, values in read_go(written(with_rows(rows), "go")):
        times.setdefault((keys.get("pkg"), name, threads), set()).add(values["ns/op"])

    assert sorted(min(of_one) for of_one in times.values()) == [100.0 + i for i in range(len(rows))]
    assert all(len(of_one) == 1 for of_one in times.values())
    assert all(name.isascii() and not name[0].islower() for _, name, _ in times)


BMF = {
    "type": "object",
    "additionalProperties": {"type": "object", "minProperties": 1, "additionalProperties": {
        "type": "object", "required": ["value"], "additionalProperties": False,
        "properties": {name: {"type": "number"} for name in ("value", "lower_value", "upper_value")}}},
}


def test_bmf_has_values_with_their_bounds(written):
    found = json.loads(written(RUN, "bmf"))
    jsonschema.Draft7Validator(BMF).validate(found)
    assert set(found) == {path_of(row) for row in timed(RUN)}
    for row in timed(RUN):
        latency, interval = found[path_of(row)]["latency"], row["time_ns"]
        assert [latency["value"], latency.get("lower_value"), latency.get("upper_value")] == \
            [interval["point"], interval["low"], interval["high"]]

    compared = json.loads(written(COMPARISON, "bmf"))
    jsonschema.Draft7Validator(BMF).validate(compared)
    assert compared["sorting/quicksort/n=100"]["ratio"]["upper_value"] == COMPARISON["comparisons"][0]["ratio"]["high"]


# ---- in brief

def picked(brief, whole):
    """Every value of brief, beside that of the same place in whole."""
    if isinstance(brief, dict):
        return [pair for key in brief for pair in picked(brief[key], whole[key])]
    if isinstance(brief, list):
        assert len(brief) == len(whole)
        return [pair for one, other in zip(brief, whole) for pair in picked(one, other)]
    return [(brief, whole)]


def check_brief(brief, whole):
    schemas.validator("run-result", "brief").validate(brief)
    pairs = picked(brief, whole)
    assert len(pairs) > 20 and all(one == other for one, other in pairs)


# ---- the whole

FORMATS = ["csv", "markdown", "gnuplot", "gbench", "hyperfine", "go", "bmf", "mark", "html", "details", "table", "plot"]


@pytest.mark.parametrize("name", FORMATS)
def test_counts_below_zero_are_written_in_each_format(written, name):
    """A stored result is a stranger's file."""
    result = copy.deepcopy(RUN)
    for row in timed(result):
        counts = row["time_ns"]["histogram"]["counts"]
        counts[0], counts[-1] = -1, -10**9
    assert result["benchmarks"][0]["name"] in written(result, name).lower()


def spoil(value, wrong):
    """Every number in @value replaced by those of @wrong in turn."""
    if isinstance(value, dict):
        return {key: spoil(item, wrong) for key, item in value.items()}
    if isinstance(value, list):
        return [spoil(item, wrong) for item in value]
    return next(wrong) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def with_each(row, other):
    """Rows that have one member each replaced."""
    return [{**row, member: other} for member in row]


@pytest.mark.parametrize("name", ["csv", "markdown", "html", "details", "table"])
def test_any_document_of_several_machines_is_written_in_each_format(written, name):
    """It is a stranger's file: no number in it, and no member, need be as it should."""
    for document in FLEET, FLEET_COMPARISON:
        for numbers in [-1], [0], [1e308, -1e308], [5e-324, 0, 1e308], [2**62, -2**62, 1.5]:
            assert "find_last" in written(spoil(document, itertools.cycle(numbers)), name) or document is FLEET
    for other in None, "text", [], [{}]:
        for key in "benchmarks", "comparisons", "warnings":
            written({**FLEET, key: other}, name)
        written({**FLEET, "benchmarks": with_each(FLEET["benchmarks"][0], other)}, name)
        written({**FLEET_COMPARISON, "comparisons": with_each(FLEET_COMPARISON["comparisons"][0], other)}, name)
        written({**FLEET, "fleet": {**FLEET["fleet"], "classes": with_each(FLEET["fleet"]["classes"][0], other)}}, name)
        written({**FLEET, "fleet": {**FLEET["fleet"], "machines": with_each(FLEET["fleet"]["machines"][0], other)}}, name)
        for member in FLEET["fleet"]:
            written({**FLEET, "fleet": {**FLEET["fleet"], member: other}}, name)


def test_a_kept_run_is_written_in_each_format(build, modules, tmp_path, monkeypatch):
    """By the suffix or by name, of one run; and of two, one document."""
    monkeypatch.chdir(tmp_path)

    def benchctl(*words):
        return Benchctl(build, "--private", XDG_STATE_HOME=tmp_path / "state")(*words).stdout

    result = json.loads(benchctl("run", *BRIEF, modules(MODULE), "--format=json"))
    job = result["run_id"]
    for name, begin in ("x.csv", "run_id,"), ("x.md", "### "), ("x.gp", "# "), ("x.JSON", "{"), ("x.Hyperfine.json", '{\n  "results"'):
        benchctl("show", job, "-o", name)
        assert (tmp_path / name).read_text().startswith(begin)
    for name in "mark", "gbench", "go", "bmf":
        assert benchctl("show", job, f"--format={name}").lower().count("one") >= 3
    lines = read_go(benchctl("show", job, "--format=go"))
    assert len(lines) == 4 * 3 and "module" not in lines[0][0]
    trend = read_csv(benchctl("history", "a/*", "--format=csv").replace("\n", "\r\n"))
    assert sorted(float(row["time_ns"]) for row in trend) == sorted(row["time_ns"]["point"] for row in timed(result))
    script = benchctl("history", "a/*", "--format=gnuplot")
    assert [len(rows) for rows in data_sets(script)] == [1] * 4
    if shutil.which("gnuplot"):
        draw(script, tmp_path, "-e", "picture='history.svg'")
        assert "a/one n=4" in (tmp_path / "history.svg").read_text()
    assert {row["area"] for row in read_csv(benchctl("list", modules(MODULE), "--format=csv").replace("\n", "\r\n"))} == {"a"}

    check_brief(json.loads(benchctl("show", job, "--brief")), result)

    p, q = modules(MODULE, name="p"), modules(MODULE, name="q")
    two = benchctl("run", *BRIEF, p, q, "--format=bmf", "--", "two")
    assert sorted(json.loads(two)) == [f"{path}/a/two" for path in (p, q)]
    two = read_go(benchctl("run", *BRIEF, p, q, "--format=go", "--", "two"))
    assert {(keys["module"], keys["pkg"], name) for keys, name, *_ in two} == {(str(path), "a", "Two") for path in (p, q)}
