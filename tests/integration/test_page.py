# SPDX-License-Identifier: GPL-3.0-or-later
"""--format=html: one page that needs no other file, and that is whole without scripts. Looked at in headless Chromium, where that is
installed; its markup is read by html5lib, strictly."""

import json
import os
import re

import pytest

from support import browser, drawn
from support.benchctl import BENCHMARK, DAEMON, DONE, MACHINE, USAGE, Benchctl

TOUCHES = "client/ctl/show/html/*"

html5lib = pytest.importorskip("html5lib", reason="python3-html5lib is not installed")
chromium = pytest.mark.skipif(not (browser.CHROMIUM and browser.DRIVER), reason="chromium and chromium-driver are not installed")

HOSTILE = "</title></style><script>document.title = 'taken'</script><img src=x onerror=alert(1)>\"'&amp;\u202e"


@pytest.fixture(scope="module")
def typed(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    return Benchctl(build, cwd=folder, TZ="UTC", XDG_STATE_HOME=folder / "state", TMPDIR=folder, BROWSER=None)


def named(values):
    """Arguments or counters, whose names are a module's too."""
    return {f"{HOSTILE}{key}" if i else HOSTILE: hostile(value) for i, (key, value) in enumerate(values.items())}


def hostile(value):
    """The same with every text replaced by one that would like to be markup, but for words that are part of the format."""
    kept = {"state", "verdict", "kind", "change", "outcome", "side", "started_at", "submitted_at", "method", "order", "clock", "over"}
    if isinstance(value, dict):
        return {key: named(item) if key in ("args", "counters") else item if key in kept else hostile(item) for key, item in value.items()}
    if isinstance(value, list):
        return [hostile(item) for item in value]
    return HOSTILE if isinstance(value, str) else value


@pytest.fixture(scope="module")
def pages(typed):
    """A page of each kind, by name: its path."""
    results = {
        "drawn": drawn.result_of(benchmarks=9),
        "everything": drawn.golden("everything"),
        "measureit": drawn.golden("measureit"),
        "scaled": drawn.golden("scaled"),
        "mark6": drawn.golden("mark6"),
        "comparison": drawn.golden("comparison"),
        "explain": drawn.golden("explain"),
        "fleet": drawn.golden("fleet"),
        "fleet-comparison": drawn.golden("fleet-comparison"),
        "hostile-fleet": hostile(drawn.golden("fleet")),
        "hostile": hostile(drawn.result_of(benchmarks=7)),
        "hostile-comparison": hostile(drawn.golden("comparison")),
    }
    paths = {}
    for name, result in results.items():
        (typed.folder / f"{name}.json").write_text(json.dumps(result))
        paths[name] = typed.folder / f"{name}.html"
        typed("show", f"{name}.json", "-o", paths[name], expect=DAEMON if "fleet" in name and result["verdict"] == "partial" else BENCHMARK if result["verdict"] == "partial" else DONE)
    other = dict(drawn.golden("plain"), run_id="ab" * 16, comparability_key=HOSTILE)
    (typed.folder / "other.json").write_text(json.dumps(other))
    (typed.folder / "plain.json").write_text(json.dumps(drawn.golden("plain")))
    paths["side-by-side"] = typed.folder / "side-by-side.html"
    typed("show", "plain.json", "other.json", "--format=html", "-o", paths["side-by-side"])
    return paths


@pytest.fixture(scope="module")
def chrome():
    with browser.started() as started:
        yield started


# ---- the markup

NAMES = ["drawn", "everything", "measureit", "scaled", "mark6", "comparison", "explain", "hostile", "hostile-comparison", "side-by-side",
         "fleet", "fleet-comparison", "hostile-fleet"]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_html_without_an_error(pages, name):
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    document = parser.parse(pages[name].read_text())

    assert [element.tag for element in document.iter() if element.tag in ("script", "style", "title")].count("script") == 1
    ids = [element.get("id") for element in document.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert all(link.get("href")[1:] in ids for link in document.iter("a"))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_no_other_file(pages, name):
    text = pages[name].read_text()

    assert not re.search(r"(?:src|href)=\"(?!#)|url\(|@import", text.replace(HOSTILE, ""))
    assert "default-src 'none'" in text


@pytest.mark.parametrize("name", ["hostile", "hostile-fleet"])
def test_words_of_a_stranger_are_shown_and_are_no_markup(pages, name):
    document = html5lib.parse(pages[name].read_text(), namespaceHTMLElements=False)

    assert not list(document.iter("img"))
    file = HOSTILE.rsplit("/", 1)[1]  # a module is called by its file
    assert file in "".join(document.find(".//h1").itertext())
    assert document.find(".//title").text.startswith(file)
    assert HOSTILE in "".join(document.find(".//main").itertext())


def growth_of(page):
    """The headings of the articles in their order, and of those on growth the curves with their words."""
    document = html5lib.parse(page.read_text(), namespaceHTMLElements=False)
    articles = list(document.iter("article"))
    growth = [article for article in articles if article.get("class") == "growth"]
    assert articles[:len(growth)] == growth, "before those of single benchmarks"
    return {"".join(article.find("h3").itertext()): ["".join(key.itertext()) for key in article.iter("span") if key.get("class") == "key curve"]
            for article in growth}


def test_the_curves_of_an_area_are_one_drawing_before_all_articles(typed):
    result = drawn.golden("plain")
    model = dict(result["benchmarks"][0], area="sorts", title=None)
    result["benchmarks"] = [dict(model, name=name, args={"n": n}, time_ns=dict(model["time_ns"], point=t, low=t * 0.9, high=t * 1.1))
                            for name, power in (("bubble", 2), ("heap", 1)) for n in (10, 100, 1000) for t in [float(n ** power)]]
    result["complexity"] = [{"area": "sorts", "name": "bubble", "threads": 1, "arg": "n", "order": "n^2", "coefficient": 1.0, "constant": 0.0, "residual": 0.01}]
    (typed.folder / "growth.json").write_text(json.dumps(result))
    typed("show", "growth.json", "-o", "growth.html")
    curves = growth_of(typed.folder / "growth.html")

    assert list(curves) == ["sorts by n"] and len(curves["sorts by n"]) == 2
    assert curves["sorts by n"][0].startswith("bubble: O(n²), 1.000 ns × n² an operation") and curves["sorts by n"][1] == "heap"


def test_both_sides_of_a_comparison_grow_in_one_drawing(typed):
    """Whatever their areas are called, as files are."""
    result = drawn.golden("comparison")
    pair, sides = result["comparisons"][0], [row for row in result["benchmarks"] if row["index"] == result["comparisons"][0]["index"]]
    result["comparisons"], result["benchmarks"] = [], []
    for index, n in enumerate((8, 64, 512)):
        result["comparisons"].append(dict(pair, index=index, area="new", old_area="old", name="hash", old_name="hash", args={"n": n}))
        result["benchmarks"] += [dict(row, index=index, area=row["side"], name="hash", args={"n": n}, failed=None) for row in sides]
    (typed.folder / "grown.json").write_text(json.dumps(result))
    for suffix in "html", "gp":
        typed("show", "grown.json", "-o", f"grown.{suffix}")
    script = (typed.folder / "grown.gp").read_text()

    assert {title: sorted(curves) for title, curves in growth_of(typed.folder / "grown.html").items()} == {
        "new against old by n": ["hash (new)", "hash (old)"]}
    assert script.count("set title") == 2 and "set title 'new against old by n'" in script


def test_every_drawing_has_words_that_stand_for_it(pages):
    document = html5lib.parse(pages["drawn"].read_text(), namespaceHTMLElements=False)
    drawings = [svg for svg in document.iter("{http://www.w3.org/2000/svg}svg") if svg.get("role") == "img"]

    assert len(drawings) == 10  # nine benchmarks and the growth of one
    for svg in drawings:
        words = [child.text for child in list(svg)[:2]]
        assert all(words) and svg.get("aria-labelledby").split() == [child.get("id") for child in list(svg)[:2]]
    assert all(table.find("thead") is not None and table.findall(".//th[@scope='row']") for table in document.iter("table"))


def test_a_page_of_several_machines_has_a_dot_and_an_environment_for_each(pages):
    fleet = drawn.golden("fleet")
    document = html5lib.parse(pages["fleet"].read_text(), namespaceHTMLElements=False)
    rows = [row for row in document.iter("tr") if row.get("class") == "row" and row.find(".//td[@class='drawn']") is not None]
    paths = [[path.get("class") for path in row.iter("{http://www.w3.org/2000/svg}path") if path.get("class").startswith("dot ")] for row in rows]

    assert paths == [["dot second" if machine["odd"] else "dot first" for machine in row["machines"]] for row in fleet["benchmarks"]]
    titles = [title.text for title in rows[0].iter("{http://www.w3.org/2000/svg}title")]
    assert [title.split()[0] for title in titles] == [machine["name"] for machine in fleet["benchmarks"][0]["machines"]]
    measured = [machine["name"] for machine in fleet["fleet"]["machines"] if machine["result"]]
    assert [heading.text for heading in document.findall(".//details/section/h2")] == measured
    warnings = ["".join(item.itertext()) for item in document.findall(".//ul[@class='warnings']/li")]
    assert any("elm was lost" in warning for warning in warnings)


def test_numbers_are_those_of_the_table(typed, pages):
    rows = re.findall(r"^ +(case_\d+|sort n=\d+) +([\d.,]+ [pnµm]?s) +(± [\d.]+ %)", typed("show", "drawn.json").stdout, re.MULTILINE)
    document = html5lib.parse(pages["drawn"].read_text(), namespaceHTMLElements=False)
    shown = [["".join(cell.itertext()) for cell in row] for row in document.iter("tr") if row.get("class") == "row"]

    assert len(rows) == 9
    assert [tuple(cells[1:3]) for cells in shown] == [row[1:] for row in rows]


def test_the_answer_comes_first_and_the_machine_last(pages):
    """Its warnings are above the numbers."""
    for name in "drawn", "comparison", "everything":
        document = html5lib.parse(pages[name].read_text(), namespaceHTMLElements=False)
        main = document.find(".//main")
        order = [element.get("class") or element.tag for element in main.iter()
                 if element.get("class") in ("verdict-line", "warnings", "calm", "machine", "glossary") or element.tag in ("table", "article")]
        first = [order.index(part) for part in ("verdict-line", "warnings" if "warnings" in order else "calm", "machine", "glossary")]

        assert first[0] < first[1] < min(order.index(part) for part in order if part.startswith(("sortable", "table")) or part == "article")
        assert order.index("article") < first[2] < first[3]
        assert document.find(".//section[@class='machine']/details") is not None
        assert all(item.text[0].isupper() for item in main.iterfind(".//ul[@class='warnings']/li"))


def test_every_note_of_a_row_is_a_term_with_a_meaning(pages):
    document = html5lib.parse(pages["everything"].read_text(), namespaceHTMLElements=False)
    notes = [cell for cell in document.iter("td") if cell.get("class") == "note" and "".join(cell.itertext())]

    assert len(notes) >= 4 and all(cell.find(".//abbr") is not None for cell in notes)


def test_a_word_that_the_machine_and_a_figure_share_has_the_meaning_of_its_place(pages):
    document = html5lib.parse(pages["drawn"].read_text(), namespaceHTMLElements=False)
    system = next(title for title in document.iterfind(".//section[@class='machine']//dt") if "".join(title.itertext()) == "system")

    assert system.find("abbr") is None, "it is no CPU time"


@pytest.mark.parametrize("name", ["drawn", "everything", "comparison", "fleet", "side-by-side"])
def test_the_glossary_explains_each_term_of_the_page_and_no_other(pages, name):
    document = html5lib.parse(pages[name].read_text(), namespaceHTMLElements=False)
    terms = list(document.iter("abbr"))
    entries = {entry.find("dt").text: entry.find("dd").text for entry in document.iterfind(".//section[@class='glossary']/dl/div")}

    assert {term.text for term in terms} == set(entries) and len(entries) >= 3
    assert any(term.get("title") for term in terms)
    assert all(term.get("title") in (None, entries[term.text]) for term in terms)


@pytest.mark.parametrize("module, areas, title", [
    ("../mi/./nb.c", ["nb"], "nb.c"),
    ("suites", ["calls", "files"], "calls, files"),
    ("suites", ["a", "b", "c", "d"], "Built-in benchmarks"),
])
def test_a_title_is_what_a_person_would_say(typed, module, areas, title):
    result = drawn.golden("plain")
    result["module"]["name"] = module
    result["benchmarks"] = [dict(result["benchmarks"][0], area=area) for area in areas]
    (typed.folder / "titled.json").write_text(json.dumps(result))
    typed("show", "titled.json", "-o", "titled.html")
    document = html5lib.parse((typed.folder / "titled.html").read_text(), namespaceHTMLElements=False)

    assert "".join(document.find(".//h1").itertext()) == title


def test_files_of_one_name_are_told_apart_by_their_directories(typed):
    result = drawn.golden("comparison")
    result["module"]["name"], result["old_module"]["name"] = "here/v2/hash.c", "here/v1/hash.c"
    (typed.folder / "versions.json").write_text(json.dumps(result))
    typed("show", "versions.json", "-o", "versions.html")
    document = html5lib.parse((typed.folder / "versions.html").read_text(), namespaceHTMLElements=False)

    assert "".join(document.find(".//h1").itertext()) == "v2/hash.c against v1/hash.c"


def test_both_sides_of_a_pair_are_in_one_drawing(typed):
    """Each with its own shape as well as its colour; those of all samples are folded below it."""
    result = drawn.golden("comparison")
    sampled = drawn.result_of(benchmarks=1)["benchmarks"][0]
    pair = result["comparisons"][0]
    for row in result["benchmarks"]:
        if row["index"] == pair["index"]:
            row.update(processes=sampled["processes"], time_ns=sampled["time_ns"], failed=None)
    (typed.folder / "pair.json").write_text(json.dumps(result))
    typed("show", "pair.json", "-o", "pair.html")
    document = html5lib.parse((typed.folder / "pair.html").read_text(), namespaceHTMLElements=False)
    article = next(article for article in document.iter("article") if article.get("class") != "growth")
    paths = [path.get("class") for path in article.find("figure").iter("{http://www.w3.org/2000/svg}path")]

    assert {"mark old", "mark new", "hole", "s old", "s new", "bar old", "bar new", "interval old", "interval new"} <= set(paths)
    assert len(article.findall("figure")) == 1 and len(article.findall("./details/figure")) == 2


# ---- in a browser

@chromium
def test_a_page_asks_for_nothing_and_its_scripts_do_not_complain(chrome, pages):
    for name, path in pages.items():
        chrome.look(1200)
        chrome.requests()
        chrome.open(path)
        assert chrome.log() == [], name
        assert chrome.requests() == [path.resolve().as_uri()], name
        assert chrome.run("return document.title").endswith("· benchd")


@chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_stand_out_from_their_ground(chrome, pages, scheme):
    chrome.look(1200, scheme=scheme)
    chrome.open(pages["drawn"])
    colors = chrome.run("""
        const style = getComputedStyle(document.documentElement), found = {};
        for (const name of ['paper', 'card', 'ink', 'soft', 'link', 'quiet', 'shared', 'disturbed', 'good', 'caution', 'bad',
                            'good-ground', 'caution-ground', 'bad-ground'])
            found[name] = style.getPropertyValue('--' + name).trim();
        return found;""")

    def luminance(color):
        channels = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one, other):
        high, low = sorted([luminance(colors[one]), luminance(colors[other])], reverse=True)
        return (high + 0.05) / (low + 0.05)

    assert (luminance(colors["paper"]) < 0.2) == (scheme == "dark")
    for ground in "paper", "card":
        assert all(contrast(name, ground) >= 4.5 for name in ("ink", "soft", "link", "good", "caution", "bad"))
        assert all(contrast(name, ground) >= 3 for name in ("quiet", "shared", "disturbed"))
    assert all(contrast(name, f"{name}-ground") >= 4.5 for name in ("good", "caution", "bad"))


@chromium
def test_a_narrow_page_is_no_wider_than_its_window(chrome, pages):
    for name, path in pages.items():
        chrome.look(400)
        chrome.open(path)
        assert chrome.run("return document.documentElement.scrollWidth") == 400, name


SEEN = """const row = document.querySelector('table tr.row'), cells = [...row.cells].filter(cell => cell.checkVisibility());
    return [document.querySelector('.verdict-line').getBoundingClientRect().bottom, row.getBoundingClientRect().bottom,
            Math.max(...cells.map(cell => cell.getBoundingClientRect().right)), cells.map(cell => cell.className)]"""


@chromium
@pytest.mark.parametrize("name, shown", [("comparison", ["", "number head", "verdict"]), ("drawn", ["", "number head", "note"])])
def test_a_narrow_screen_begins_with_the_verdict_and_the_first_row(chrome, pages, name, shown):
    chrome.look(400, 800)
    chrome.open(pages[name])
    verdict, row, right, classes = chrome.run(SEEN)

    assert verdict < row < 800 and right <= 400
    assert [cell.split(" less")[0].rsplit(" ", 1)[0] if cell.startswith("verdict") else cell.split(" less")[0] for cell in classes] == shown


@chromium
@pytest.mark.parametrize("name", ["drawn", "measureit", "comparison"])
def test_a_usual_screen_shows_the_whole_table(chrome, pages, name):
    chrome.look(1280)
    chrome.open(pages[name])
    assert chrome.run("const box = document.querySelector('.scroll'); return box.scrollWidth - box.clientWidth") <= 2


COLUMNS = """const seen = row => [...row.cells].filter(cell => cell.checkVisibility()).length;
    return [...document.querySelectorAll('main table')].filter(table => table.checkVisibility()).flatMap(table =>
        [...table.querySelectorAll('tbody tr')].filter(row => ![...row.cells].some(cell => cell.colSpan > 1))
            .map(row => [seen(table.tHead.rows[0]), seen(row)]));"""


@chromium
def test_a_narrow_table_has_a_heading_above_each_column(chrome, pages):
    for name, path in pages.items():
        chrome.look(400)
        chrome.open(path)
        counts = chrome.run(COLUMNS)
        assert counts and all(heads == cells for heads, cells in counts), name


FIRST = "return [...document.querySelectorAll('table.sortable tr.row')].map(row => row.cells[0].textContent)"
PRESS = """const head = document.querySelectorAll('table.sortable thead th')[arguments[0]];
    head.querySelector('button').focus(); document.activeElement.click(); return head.getAttribute('aria-sort')"""


@chromium
def test_a_heading_sorts_the_rows_by_number_and_gives_them_their_order_back(chrome, pages):
    chrome.look(1200)
    chrome.open(pages["drawn"])
    as_it_was = chrome.run(FIRST)
    times = {f"{row['area']}/{row['name']}" + "".join(f" {key}={value}" for key, value in row["args"].items()): row["time_ns"]["point"]
             for row in drawn.result_of(benchmarks=9)["benchmarks"]}

    assert chrome.run(PRESS, 1) == "ascending"
    assert chrome.run(FIRST) == sorted(times, key=times.get)
    assert chrome.run(PRESS, 1) == "descending"
    assert chrome.run(FIRST) == sorted(times, key=times.get, reverse=True)
    assert chrome.run(PRESS, 1) is None
    assert chrome.run(FIRST) == as_it_was


@chromium
def test_the_pointer_tells_the_time_below_it(chrome, pages):
    chrome.look(1200)
    chrome.open(pages["drawn"])
    told = chrome.run("""
        const figure = document.querySelector('figure[data-low]'), plot = figure.querySelector('svg.plot');
        plot.scrollIntoView();
        const box = figure.querySelector('.over-time').getBoundingClientRect(), top = plot.getBoundingClientRect().top;
        const y = top + (Number(figure.dataset.top) + Number(figure.dataset.bottom)) / 2;
        plot.dispatchEvent(new PointerEvent('pointermove', { clientX: box.right - 40, clientY: y }));
        return [document.getElementById('tip').textContent, (Number(figure.dataset.low) + Number(figure.dataset.high)) / 2];""")

    value, process = told[0].split(", ")
    unit = {"ps": 1e-3, "ns": 1, "µs": 1e3, "ms": 1e6}[value.split()[1]]
    assert float(value.split()[0]) * unit == pytest.approx(told[1], rel=1e-3)
    assert process == "process 10"


@chromium
def test_each_term_tells_its_meaning_below_the_pointer(chrome, pages):
    chrome.look(1200)
    chrome.open(pages["drawn"])
    titles = chrome.run("return [...document.querySelectorAll('article abbr')].map(term => [term.textContent, term.title])")

    assert ["stddev", "standard deviation: how far samples typically lie from the mean"] in titles
    assert all(title for term, title in titles)


@chromium
def test_all_is_there_without_scripts(chrome, pages):
    text = "return document.querySelector('main').textContent"
    marks = "return document.querySelectorAll('main path, main td').length"
    for name in "drawn", "comparison":
        chrome.look(1200)
        chrome.open(pages[name])
        with_scripts = chrome.run(text), chrome.run(marks)
        chrome.command("Emulation.setScriptExecutionDisabled", value=True)
        chrome.open(pages[name])
        without = chrome.run(text), chrome.run(marks), chrome.run("return document.querySelectorAll('button').length")
        chrome.command("Emulation.setScriptExecutionDisabled", value=False)
        assert without == (*with_scripts, 0)


@chromium
def test_paper_shows_black_on_white_whatever_the_screen_does(chrome, pages):
    chrome.look(800, scheme="dark", media="print")
    chrome.open(pages["drawn"])
    assert chrome.run("const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]") == [
        "rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    folded = "return document.querySelector('details table').checkVisibility()"
    assert chrome.run(folded)
    chrome.look(800)
    assert not chrome.run(folded)


# ---- its size, and the command

def test_a_page_takes_at_most_15_kilobytes_a_benchmark(typed):
    """As 3 MB for 200 of 10 processes with 200 samples each ask; tests/bench/page writes and paints that one."""
    (typed.folder / "many.json").write_text(json.dumps(drawn.result_of(benchmarks=25)))
    typed("show", "many.json", "-o", "many.html")
    typed("show", "drawn.json", "-o", "few.html")
    more = (typed.folder / "many.html").stat().st_size - (typed.folder / "few.html").stat().st_size

    assert more / (25 - 9) <= 15_000


def test_a_run_asks_for_the_samples_that_a_page_draws(typed, modules):
    module = modules("BENCH(one) { bench_loop(b) bench_clobber(); }")
    typed("run", "--private", module, "--processes=3", "--samples=5", "--min-time=0.01", "--warmup=1", "-o", "run.html")
    page = (typed.folder / "run.html").read_text()

    assert re.search(r"<figcaption>.*(quiet|shared|disturbed)", page) and 'class="s ' in page
    assert "samples of the headline" not in page


def test_several_results_are_one_page(typed, modules):
    one, other = modules("BENCH(one) { bench_loop(b) bench_clobber(); }"), modules("BENCH(two) { bench_loop(b) bench_clobber(); }")
    typed("run", "--private", one, other, "--quick", "-o", "both.html")
    document = html5lib.parse((typed.folder / "both.html").read_text(), namespaceHTMLElements=False)

    assert len(list(document.iter("h1"))) == 2 and len(list(document.iter("title"))) == 1


def test_no_word_of_a_plot_runs_into_its_number(typed):
    result = drawn.result_of(benchmarks=1)
    for process in result["benchmarks"][0]["processes"]:
        process["samples"]["marks"] = [drawn.BESIDE] * len(process["samples"]["marks"])
    (typed.folder / "beside.json").write_text(json.dumps(result))
    shown = typed("show", "beside.json", "--plot", COLUMNS="80").stdout

    assert re.search(r"^  beside-shared +2,000 │", shown, re.MULTILINE)
    assert not re.search(r"^  [a-z-]+\d,", shown, re.MULTILINE)


def test_a_page_without_samples_says_so_and_how_to_keep_them(typed, pages):
    """As --open of a result that did not keep them."""
    without, kept = pages["everything"].read_text(), pages["drawn"].read_text()

    assert "This run kept no samples to draw over time" in without and "<code>--keep-samples</code>" in without
    assert "kept no samples" not in kept


def test_history_is_drawn_as_drift(typed, modules):
    module = modules("BENCH(drifting) { bench_loop(b) bench_clobber(); }")
    for _ in range(2):
        typed("run", "--private", module, "--quick")
    typed("history", "--private", "*drifting", "-o", "drift.html")
    typed("history", "--private", "-o", "jobs.html")
    for name in "drift", "jobs":
        html5lib.HTMLParser(strict=True).parse((typed.folder / f"{name}.html").read_text())
    page = (typed.folder / "drift.html").read_text()

    assert 'class="median"' in page and "drifting over earlier runs" in page


# ---- --open

@pytest.fixture
def viewer(tmp_path):
    """A browser that notes which page it was given."""
    program = tmp_path / "viewer"
    program.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/shown\nexit ${{VIEWER_STATUS:-0}}\n')
    program.chmod(0o755)
    return program


def test_open_shows_a_page_of_its_own(typed, pages, viewer, tmp_path):
    done = typed("show", "drawn.json", "--open", BROWSER=str(viewer))
    page = (tmp_path / "shown").read_text().strip()

    assert done.stdout == "" and page.endswith(".html")
    assert open(page).read() == pages["drawn"].read_text()
    assert os.stat(page).st_mode & 0o777 == 0o600


def test_open_shows_the_file_that_output_names(typed, pages, viewer, tmp_path):
    typed("show", "drawn.json", "--open", "-o", "named.html", BROWSER=str(viewer))
    assert (tmp_path / "shown").read_text() == "named.html\n"


def test_open_says_where_the_page_is_when_nothing_can_show_it(typed, pages, viewer):
    missing = typed("show", "drawn.json", "--open", "-o", "kept.html", expect=MACHINE, BROWSER="no-such-browser")
    failing = typed("show", "drawn.json", "--open", "-o", "kept.html", expect=MACHINE, BROWSER=str(viewer), VIEWER_STATUS="3")

    assert "Cannot start no-such-browser" in missing.stderr and "kept.html" in missing.stderr
    assert "exit status 3" in failing.stderr and "kept.html" in failing.stderr
    assert (typed.folder / "kept.html").exists()


@pytest.mark.parametrize("words, told", [
    (["show", "drawn.json", "--open", "--format=json"], "--open shows a page, not --format=json"),
    (["list", "--private", "--format=html"], "a list of benchmarks has no format 'html'"),
    (["run", "--detach", "--open"], "--open cannot be combined with --detach"),
])
def test_what_no_page_shows_is_refused_in_words(typed, words, told):
    assert told in typed(*words, expect=USAGE).stderr


def test_a_file_that_holds_no_result_is_refused_in_words(typed):
    (typed.folder / "wrong.json").write_text('{"entries": []}')
    assert "does not hold the result of a run" in typed("show", "wrong.json", expect=USAGE).stderr
    (typed.folder / "broken.json").write_text("{")
    assert "is not JSON" in typed("show", "broken.json", expect=USAGE).stderr
