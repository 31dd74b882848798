# SPDX-License-Identifier: GPL-3.0-or-later
"""An installed tree has what its users need: it is compiled against, spoken to and read from the files of `meson install`."""

import json
import os
import pathlib
import re
import shutil
import site
import subprocess
import sys

import pytest

from support import pages
from support.paths import BUILD, IS_SANITIZED

TOUCHES = "include/benchd/* systemd/* packaging/debian/* client/lib/libbenchd.sym"


@pytest.fixture(scope="session")
def installed(build, tmp_path_factory):
    """Where files with paths below / got installed: installed("usr/local/include/...")."""
    root = tmp_path_factory.mktemp("root")
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet"], check=True, env=os.environ | {"DESTDIR": str(root)})
    options = {row["name"]: row["value"] for row in json.loads(subprocess.run(
        ["meson", "introspect", "--buildoptions", build], check=True, capture_output=True, text=True).stdout)}
    root.chmod(0o755)

    def path(kind, *rest):
        return root / pathlib.Path(options["prefix"], options[kind]).relative_to("/") / pathlib.Path(*rest)

    path.root = root
    return path


def directory(installed, variable):
    """A directory that benchd.pc names."""
    found = subprocess.run(["pkg-config", f"--variable={variable}", "benchd"], check=True, capture_output=True, text=True,
                           env=os.environ | {"PKG_CONFIG_LIBDIR": str(installed("libdir", "pkgconfig"))}).stdout.strip()
    return installed.root / pathlib.Path(found).relative_to("/")


def test_a_client_in_another_language_finds_the_protocol_and_its_text(installed, daemon, modules, tmp_path):
    """As the example's first lines say."""
    proto = directory(installed, "protodir")
    subprocess.run(["protoc", f"--python_out={tmp_path}", f"--proto_path={proto}", "benchd.proto"], check=True)
    program = installed("datadir", "doc/benchd/examples/python-client/benchd_client.py")
    module = modules('BENCH(one, .area = "a") { bench_loop(b) bench_clobber(); }')
    done = subprocess.run([sys.executable, program, "list", module], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(tmp_path), "BENCHD_SOCKET": str(daemon.socket)})

    assert (done.returncode, done.stdout, done.stderr) == (0, "a/one\n", "")
    assert os.access(program, os.X_OK)
    assert "benchd.proto" in installed("datadir", "doc/benchd/PROTOCOL.md").read_text()


def test_python_finds_the_package_and_pytest_its_plugin(installed, daemon, modules):
    """Below the prefix, in one of the directories where the system's Python looks."""
    place = [installed.root / path.lstrip("/") for path in site.getsitepackages() if (installed.root / path.lstrip("/") / "benchd").exists()]
    if not (BUILD / "python/benchd").exists():
        pytest.skip("the build has no Python package (-Dpython)")
    program = "import benchd, sys; print(benchd.__file__, [row.name for row in benchd.connect().list(sys.argv[1])])"
    environment = os.environ | {"PYTHONPATH": str(place[0]), "BENCHD_SOCKET": str(daemon.socket), "PYTHONDONTWRITEBYTECODE": "1"}
    module = modules('BENCH(one, .area = "a") { bench_loop(b) bench_clobber(); }')
    done = subprocess.run([sys.executable, "-c", program, module], capture_output=True, text=True, env=environment)
    told = subprocess.run([sys.executable, "-m", "pytest", "--fixtures", "-p", "no:cacheprovider", "-q"], capture_output=True, text=True,
                          env=environment, cwd=place[0])

    assert (done.stdout, done.stderr) == (f"{place[0]}/benchd/__init__.py ['one']\n", "")
    assert re.search(r"^benchd -- .*pytest_plugin.py", told.stdout, re.M)


def test_the_schemas_are_where_pkg_config_says(installed):
    for name in "run-result", "fleet-result":
        assert json.loads((directory(installed, "schemadir") / f"{name}.schema.json").read_text())["$schema"]


@pytest.mark.skipif(IS_SANITIZED, reason="the library is sanitized, and the program that links it is not")
def test_programs_are_compiled_against_the_installed_headers_and_library(installed, tmp_path):
    (tmp_path / "client.c").write_text("#include <benchd/client.h>\n#include <stdio.h>\nint main(void) { puts(benchd_error_string(BENCHD_E_CLOSED)); }\n")
    flags = [f"-I{installed('includedir')}", f"-L{installed('libdir')}", "-lbenchd"]
    subprocess.run(["gcc", "-Wall", "-Werror", "client.c", "-o", "client", *flags], check=True, cwd=tmp_path)
    said = subprocess.run([tmp_path / "client"], check=True, capture_output=True, text=True,
                          env=os.environ | {"LD_LIBRARY_PATH": str(installed("libdir"))}).stdout
    assert "connection" in said


@pytest.mark.skipif(not os.path.exists("/usr/share/bash-completion/bash_completion"), reason="bash-completion is not installed")
def test_bash_completion_finds_its_script_when_it_is_needed(installed):
    script = "source /usr/share/bash-completion/bash_completion; _completion_loader benchctl; complete -p benchctl"
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True,
                          env=os.environ | {"XDG_DATA_DIRS": str(installed("datadir"))})
    assert done.stdout == "complete -F _benchctl benchctl\n"


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_finds_its_script_in_the_path_of_functions(installed):
    script = f"fpath=({installed('datadir', 'zsh/site-functions')} $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[benchctl]"
    assert subprocess.run(["zsh", "-f", "-c", script], check=True, capture_output=True, text=True).stdout == "_benchctl\n"


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_finds_its_script_when_it_is_needed(installed, build):
    done = subprocess.run(["fish", "-c", "complete --do-complete='benchctl stat'"], check=True, capture_output=True, text=True,
                          env=os.environ | {"XDG_DATA_DIRS": str(installed("datadir")), "PATH": f"{build}/client/ctl:{os.environ['PATH']}"})
    assert done.stdout.startswith("status\t")


def example(installed, page):
    """The program that a page of the manual shows."""
    text = installed("mandir", f"man{page[-1]}", page).read_text()
    program = re.search(r"^\.EX\n(#include.*?)^\.EE", text, re.M | re.S)[1]
    return program.replace("\\en", "\\n").replace("\\-", "-")


@pytest.mark.skipif(IS_SANITIZED, reason="the library is sanitized, and the program that links it is not")
def test_the_programs_of_the_manual_work_as_they_stand_there(installed, daemon, tmp_path):
    for page in ("bench.h.3", "libbenchd.3"):
        (tmp_path / f"{page}.c").write_text(example(installed, page))
    flags = ["-Wall", "-Wextra", "-Werror", "-O1", f"-I{installed('includedir')}"]
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "bench.h.3.c", "-o", "mine.so"], check=True, cwd=tmp_path)
    subprocess.run(["gcc", *flags, "libbenchd.3.c", "-o", "client", f"-L{installed('libdir')}", "-lbenchd"], check=True, cwd=tmp_path)
    done = subprocess.run([tmp_path / "client", daemon.socket, tmp_path / "mine.so"], capture_output=True, text=True, timeout=600,
                          env=os.environ | {"LD_LIBRARY_PATH": str(installed("libdir"))})

    assert (done.returncode, done.stderr) == (0, "")
    assert [row["name"] for row in json.loads(done.stdout)["benchmarks"]] == ["memset_page"]


@pytest.mark.parametrize("page", [*(page.name for page in pages.PAGES), "benchd-runner.8"])
def test_a_page_of_the_manual_is_where_man_finds_it(installed, page):
    path = installed("mandir", f"man{page[-1]}", page)
    assert path.is_file()
    if not shutil.which("man"):
        pytest.skip("no man")
    done = subprocess.run(["man", "--warnings=w", "-l", path], capture_output=True, text=True, env=os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0 and done.stderr == "" and "NAME" in done.stdout
