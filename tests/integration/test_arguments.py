# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of benchmarks: whole numbers, real ones and texts, from the module's macro to the row, its filter and its body."""

import pytest

from support.client import TWICE, Failed

TOUCHES = "daemon/ops/argument* daemon/runner/load/module.* selection"

BRIEF = TWICE | dict(samples=4, seed=1)

KINDS = r"""
BENCH(real, .area = "kinds", .args = BENCH_REALS(x, 0.5, 0.75, 1e300))
{
        bench_loop(b)
                bench_clobber();
        bench_counter(b, "x", bench_arg_real(b, 0));
}

BENCH(text, .area = "kinds", .args = BENCH_TEXTS(s, "0", "1e300", "en_US.UTF-8"))
{
        const char *s = bench_arg_text(b, 0);
        int n = 0;

        while (s[n])
                n++;
        bench_loop(b)
                bench_clobber();
        bench_counter(b, "length", n);
}

BENCH(linear, .area = "kinds", .args = BENCH_LINEAR(n, -4, 5, 4))
{
        bench_loop(b)
                bench_clobber();
        bench_counter(b, "n", bench_arg(b, 0));
}

BENCH(product, .area = "kinds", .args = BENCH_PRODUCT4(BENCH_TEXTS(s, "u", "v"), BENCH_REALS(x, 0.25), BENCH_LINEAR(n, 0, 2, 2),
                               BENCH_RANGE(k, 1, 2, 2)))
{
        bench_loop(b)
                bench_clobber();
        bench_counter(b, "sum", bench_arg_text(b, 0)[0] + bench_arg_real(b, 1) + 10 * bench_arg(b, 2) + 100 * bench_arg(b, 3));
}

BENCH(as_text, .area = "kinds", .args = BENCH_ARGS(n, 1)) { bench_loop(b) bench_clobber(); bench_arg_text(b, 0); }
BENCH(as_real, .area = "kinds", .args = BENCH_TEXTS(s, "1")) { bench_loop(b) bench_clobber(); bench_arg_real(b, 0); }
BENCH(as_whole, .area = "kinds", .args = BENCH_REALS(x, 1)) { bench_loop(b) bench_clobber(); bench_arg(b, 0); }
BENCH(beyond, .area = "kinds", .args = BENCH_REALS(x, 1)) { bench_loop(b) bench_clobber(); bench_arg_real(b, 1); }
"""


def counter(benchmark):
    (only,) = benchmark.counters
    return only.value


def compiled(modules, directory, source, ending):
    path = directory / f"source{ending}"
    path.write_text("#include <benchd/bench.h>\n" + source)
    return modules(path)


@pytest.fixture(scope="module", params=[".c", ".cc"])
def told(request, build, modules, tmp_path_factory):
    """The benchmarks of that module, run once."""
    from support.daemon import Daemon

    directory = tmp_path_factory.mktemp("kinds")
    with Daemon(build, directory) as daemon, daemon.connect() as client:
        return client.run(compiled(modules, directory, KINDS, request.param), **BRIEF).benchmarks


def test_each_value_is_a_row_and_reaches_the_body(told):
    assert {name.split("/", 1)[1]: counter(row) for name, row in told.items() if not row.HasField("failed")} == {
        "real/x=0.5": 0.5, "real/x=0.75": 0.75, "real/x=1e+300": 1e300,
        "text/s=0": 1, "text/s=1e300": 5, "text/s=en_US.UTF-8": 11,
        "linear/n=-4": -4, "linear/n=0": 0, "linear/n=4": 4, "linear/n=5": 5,
        **{f"product/s={s}/x=0.25/n={n}/k={k}": ord(s) + 0.25 + 10 * n + 100 * k for s in "uv" for n in (0, 2) for k in (1, 2)},
    }


@pytest.mark.parametrize("name, words", [
    ("as_text/n=1", "bench_arg_text(b, 0), but the argument n is a whole number: bench_arg(b, 0)"),
    ("as_real/s=1", "bench_arg_real(b, 0), but the argument s is a text: bench_arg_text(b, 0)"),
    ("as_whole/x=1", "bench_arg(b, 0), but the argument x is a real number: bench_arg_real(b, 0)"),
    ("beyond/x=1", "bench_arg_real(b, 1), but the benchmark has 1 argument"),
])
def test_an_argument_is_read_as_what_it_is(told, name, words):
    failed = told[f"kinds/{name}"].failed

    assert (failed.code, failed.message) == ("misuse", words)


def test_they_are_listed_in_the_list_of_their_kind(client, modules):
    rows = {row.name: row.args for row in client.list(modules(KINDS)).benchmarks}

    assert [(list(arg.values), list(arg.reals), list(arg.texts)) for arg in rows["product"]] == [
        ([], [], ["u", "v"]), ([], [0.25], []), ([0, 2], [], []), ([1, 2], [], [])]
    assert list(rows["linear"][0].values) == [-4, 0, 4, 5]


@pytest.mark.parametrize("glob, rows", [
    ("text/s=1e300", ["text/s=1e300"]),
    ("*/s=en_*", ["text/s=en_US.UTF-8"]),
    ("real/x=0.5", ["real/x=0.5"]),
    ("product/s=v/x=0.25/n=2/k=?", ["product/s=v/x=0.25/n=2/k=1", "product/s=v/x=0.25/n=2/k=2"]),
])
def test_filters_match_them_as_they_read(client, modules, glob, rows):
    run = client.run(modules(KINDS), filters=[glob], **BRIEF)

    assert sorted(run.benchmarks) == [f"kinds/{row}" for row in rows]


def test_two_builds_are_compared_by_their_values(client, modules):
    old = modules('BENCH(text, .area = "kinds", .args = BENCH_TEXTS(s, "1e300", "gone")) { bench_loop(b) bench_clobber(); }')
    new = modules('BENCH(text, .area = "kinds", .args = BENCH_TEXTS(s, "new", "0", "1e300")) { bench_loop(b) bench_clobber();'
                  ' bench_counter(b, "e", bench_arg_text(b, 0)[1] == 101); }')
    run = client.compare(new, old, **{**BRIEF, "processes": 3})

    (row,) = run.result.comparisons
    assert [(arg.name, arg.text) for arg in row.args] == [("s", "1e300")]
    assert list(run.result.only_new) == ["kinds/text/s=new", "kinds/text/s=0"]
    assert list(run.result.only_old) == ["kinds/text/s=gone"]
    assert counter(run.benchmarks["kinds/text/s=1e300"]) == 1


GRID = """
#define TWENTY_FOUR 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23

BENCH(grid, .area = "a", .args = BENCH_PRODUCT3(BENCH_ARGS(i, TWENTY_FOUR), BENCH_ARGS(j, TWENTY_FOUR), BENCH_LINEAR(k, 1, 20, 1)))
{
        bench_loop(b)
                bench_clobber();
        bench_counter(b, "sum", 10000 * bench_arg(b, 0) + 100 * bench_arg(b, 1) + bench_arg(b, 2));
}

BENCH(endless, .area = "a", .args = BENCH_PRODUCT4(BENCH_LINEAR(p, 1, 256, 1), BENCH_LINEAR(q, 1, 256, 1),
                               BENCH_LINEAR(r, 1, 256, 1), BENCH_LINEAR(s, 1, 256, 1))) { bench_loop(b) bench_clobber(); }
BENCH(plain, .area = "a") { bench_loop(b) bench_clobber(); }
"""


def test_of_a_large_grid_the_rows_that_a_filter_chooses_are_measured(client, modules):
    run = client.run(modules(GRID), filters=["grid/i=3/j=5/*"], **BRIEF)

    assert {name: counter(row) for name, row in run.benchmarks.items()} == {
        f"a/grid/i=3/j=5/k={k}": 30500 + k for k in range(1, 21)}


def test_two_builds_of_a_large_grid_are_compared_by_the_rows_that_a_filter_chooses(client, modules):
    run = client.compare(modules(GRID), modules(GRID + "int unused;"), filters=["grid/i=3/j=5/k=2?"], **{**BRIEF, "processes": 3})

    assert [[arg.value for arg in row.args] for row in run.result.comparisons] == [[3, 5, 20]]
    assert not run.result.only_new and not run.result.only_old


@pytest.mark.parametrize("filters, problem, hint", [
    (["grid"], "11520 rows of {} are chosen, one for each set of arguments; a run may have 10000.",
     "Choose fewer by filters, such as a/grid/i=0, in several runs."),
    ([], "The benchmarks of {} that may be meant have 4294978817 rows, one for each set of arguments; at most 1000000 can be chosen from.",
     "Name benchmarks in filters that leave out the largest, or give their arguments fewer values."),
    (["grid/" + "?" * 250] * 13,
     "The benchmarks of {} that may be meant have 11520 rows, one for each set of arguments: filters for them may have 2912 bytes in all, not 3315.",
     "Write fewer or shorter filters."),
])
def test_more_rows_than_a_run_has_are_refused_with_their_number_and_the_limit(client, modules, filters, problem, hint):
    module = modules(GRID)
    with pytest.raises(Failed) as refused:
        client.run(module, filters=filters, **BRIEF)

    assert refused.value.message == problem.format(module.name)
    assert refused.value.hint == hint


@pytest.mark.parametrize("filters, names", [
    ([], ["endless", "grid", "plain"]),
    (["plain"], ["plain"]),
    (["grid/i=3/*"], ["grid"]),
    (["grid/i=33/*", "plain"], ["plain"]),
    (["endless/p=9"], ["endless"]),
])
def test_a_module_of_any_size_is_listed(client, modules, filters, names):
    assert sorted(row.name for row in client.list(modules(GRID), filters=filters).benchmarks) == names


# The option of a benchmark a/x → a sentence with these words.
IMPOSSIBLE = {
    "BENCH_RANGE(n, 100, 1, 2)": "a/x: BENCH_RANGE(n, 100, 1, 2) ends before it begins",
    "BENCH_RANGE(n, 0, 100, 2)": "a/x: BENCH_RANGE(n, 0, 100, 2) begins at 0, and no factor leads on from there",
    "BENCH_RANGE(n, 1, 100, 1)": "a/x: BENCH_RANGE(n, 1, 100, 1) does not grow: a factor is 2 or more. BENCH_LINEAR goes on",
    "BENCH_LINEAR(n, 1, 0, 1)": "a/x: BENCH_LINEAR(n, 1, 0, 1) ends before it begins",
    "BENCH_LINEAR(n, 1, 9, 0)": "a/x: BENCH_LINEAR(n, 1, 9, 0) stands still: a step is 1 or more",
    "BENCH_LINEAR(n, 0, 256, 1)": "a/x: BENCH_LINEAR(n, 0, 256, 1) has 257 values, of at most 256: take larger steps",
    "BENCH_ARGS(n, 1, 2, 1)": "a/x: n=1 is there twice",
    "BENCH_REALS(x, 0.3, 0.1 + 0.2)": "a/x: x=0.3 is there twice",
    "BENCH_REALS(x, 1, __builtin_inf())": "a/x: a value of BENCH_REALS(x) is inf, which is not finite",
    'BENCH_TEXTS(s, "a", "b", "a")': "a/x: s=a is there twice",
    'BENCH_TEXTS(s, "")': "a/x: a text of BENCH_TEXTS(s) is empty",
    'BENCH_TEXTS(s, (const char *)0)': "a/x: a text of BENCH_TEXTS(s) is NULL",
    'BENCH_TEXTS(s, "a/b")': "a/x: 'a/b' of BENCH_TEXTS(s) has a character that no name of a row can have",
    'BENCH_TEXTS(s, "a=b")': "'a=b' of BENCH_TEXTS(s) has a character",
    'BENCH_TEXTS(s, "a,b")': "'a,b' of BENCH_TEXTS(s) has a character",
    'BENCH_TEXTS(s, "a b")': "'a b' of BENCH_TEXTS(s) has a character",
    'BENCH_TEXTS(s, "[a]*")': "'[a]*' of BENCH_TEXTS(s) has a character",
    'BENCH_TEXTS(s, "\\n")': "of BENCH_TEXTS(s) has a character",
    'BENCH_TEXTS(s, "12345678901234567890123456789012")': "'1234567890123456789012345678901...', has over 31 characters",
    "BENCH_PRODUCT(BENCH_ARGS(n, 1), BENCH_ARGS(n, 2))": "a/x: two of its arguments are called n",
}


@pytest.mark.parametrize("ending", [".c", ".cc"])
@pytest.mark.parametrize("args", IMPOSSIBLE)
def test_what_makes_no_rows_is_refused_in_words_when_it_is_listed(client, modules, tmp_path, ending, args):
    module = compiled(modules, tmp_path, f'BENCH(x, .area = "a", .args = {args}) {{ bench_loop(b) ; }}', ending)
    with pytest.raises(Failed) as failed:
        client.list(module)
    assert failed.value.code == "BAD_MODULE"
    assert IMPOSSIBLE[args] in failed.value.message


def test_a_benchmark_of_two_sources_is_refused_when_it_is_listed(client, modules, tmp_path):
    other = tmp_path / "other.c"
    other.write_text('#include <benchd/bench.h>\n\nBENCH(x, .area = "a", .args = BENCH_ARGS(n, 1)) { bench_loop(b) ; }\n')
    with pytest.raises(Failed) as failed:
        client.list(modules('BENCH(x, .area = "a") { bench_loop(b) ; }', str(other), "-fno-lto"))
    assert failed.value.code == "BAD_MODULE"
    assert "a/x is there twice, by " in failed.value.message and "other.c:3" in failed.value.message


def test_a_hidden_area_that_hides_nothing_is_refused_when_it_is_listed(client, modules):
    hides = 'BENCH_AREA(aside, .hidden = 1);\nBENCH(x{}) {{ bench_loop(b) ; }}'
    with pytest.raises(Failed) as failed:
        client.list(modules(hides.format("")))
    assert failed.value.code == "BAD_MODULE"
    assert 'hides no benchmark: give each that belongs to it .area = "aside"' in failed.value.message
    assert [(row.area, row.hidden) for row in client.list(modules(hides.format(', .area = "aside"'))).benchmarks] == [("aside", True)]
    assert client.list(modules('BENCH_AREA(aside, .about = "none of it on this machine");\nBENCH(x) { bench_loop(b) ; }')).benchmarks


def test_equal_counts_of_threads_are_refused_when_they_are_listed(client, modules):
    with pytest.raises(Failed) as failed:
        client.list(modules('BENCH(y, .area = "a", .threads = BENCH_THREADS(1, 2, 1)) { bench_loop(b) ; }'))
    assert failed.value.code == "BAD_MODULE"
    assert "a/y threads=1 is there twice" in failed.value.message
