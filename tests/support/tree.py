# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the daemon's programs in which one of the test's own stands before the runner; and one that simulates the clock.

The simulated clock is CLOCK_MONOTONIC_RAW, by which a daemon times that is told --no-tsc: a step at each reading, and what the
module says that its work takes. CLOCK_PROCESS_CPUTIME_ID is simulated too: it advances at a reading and while the module works, and
stands while time only passes. What is measured by it is the same on every machine, however busy.
"""

import shutil
import subprocess

from .paths import PRIVATE_HEADERS

PROGRAMS = ["launch/benchd-launch", "front/benchd", "runner/benchd-count.so", "inspect/benchd-inspect"]
RUNNER = "daemon/runner/benchd-runner"
BEHIND = "daemon/runner/behind"

# For a module: so many ns pass, in which it waits; or works.
PASS = "void simulated_pass(uint64_t ns);\n"
WORK = "void simulated_work(uint64_t ns);\n"

# The programs lie where a runner sees nothing, so this one brings along what it executes and preloads.
BRING = """
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#define BROUGHT_FD 900 /* above those of a runner */

#define BRING(name, path) \\
        __asm__(".pushsection .rodata\\n" #name ": .incbin \\"" path "\\"\\n" #name "_end:\\n.popsection"); \\
        extern const char name[], name##_end[]

static inline int bring_out(const char *bytes, const char *end, int flags)
{
        int fd = memfd_create("brought", MFD_CLOEXEC), brought;

        while (bytes < end) {
                ssize_t n = write(fd, bytes, end - bytes);

                if (n <= 0)
                        _exit(1);
                bytes += n;
        }
        brought = fcntl(fd, flags, BROUGHT_FD);
        close(fd);
        return brought;
}

BRING(behind, BEHIND);

static inline int become_runner(char **argv)
{
        extern char **environ;

        fexecve(bring_out(behind, behind_end, F_DUPFD_CLOEXEC), argv, environ);
        return 1;
}
"""

BEFORE = """
#include <stdio.h>
#include <stdlib.h>

BRING(clock_library, CLOCK);

int main(int argc, char **argv)
{
        char path[64];

        snprintf(path, sizeof path, "/proc/self/fd/%d", bring_out(clock_library, clock_library_end, F_DUPFD));
        setenv("LD_PRELOAD", path, 1);
        return become_runner(argv);
}
"""

CLOCK = """
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns = 1000000000;

void simulated_pass(uint64_t ns)
{
        now_ns += ns;
}

static uint64_t cpu_ns = 1000000000;

void simulated_work(uint64_t ns)
{
        now_ns += ns;
        cpu_ns += ns;
}

int clock_gettime(clockid_t clock, struct timespec *ret_now)
{
        if (clock == CLOCK_PROCESS_CPUTIME_ID) {
                cpu_ns += 50;
                *ret_now = (struct timespec){ .tv_sec = cpu_ns / 1000000000, .tv_nsec = cpu_ns % 1000000000 };
                return 0;
        }
        if (clock != CLOCK_MONOTONIC_RAW)
                return syscall(SYS_clock_gettime, clock, ret_now);
        now_ns += 20;
        *ret_now = (struct timespec){ .tv_sec = now_ns / 1000000000, .tv_nsec = now_ns % 1000000000 };
        return 0;
}

/* The runner has bound its own calls to libc by now: its reading of the clock is bound to this one again. */
__attribute__((constructor)) static void take_the_runner_s_calls(void)
{
        const struct link_map *map = _r_debug.r_map;
        const ElfW(Sym) *symbols = NULL;
        const ElfW(Rela) *calls = NULL;
        const char *strings = NULL;
        size_t n = 0;

        for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
                symbols = entry->d_tag == DT_SYMTAB ? (const void *)entry->d_un.d_ptr : symbols;
                strings = entry->d_tag == DT_STRTAB ? (const void *)entry->d_un.d_ptr : strings;
                calls = entry->d_tag == DT_JMPREL ? (const void *)entry->d_un.d_ptr : calls;
                n = entry->d_tag == DT_PLTRELSZ ? entry->d_un.d_val / sizeof *calls : n;
        }
        for (size_t i = 0; calls && i < n; i++) {
                void **slot = (void **)(map->l_addr + calls[i].r_offset);

                if (strcmp(strings + symbols[ELF64_R_SYM(calls[i].r_info)].st_name, "clock_gettime") != 0)
                        continue;
                mprotect((void *)((uintptr_t)slot & -4096l), 4096, PROT_READ | PROT_WRITE);
                *slot = clock_gettime;
        }
}
"""


def compile_text(text, output, *flags):
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-O2", "-x", "c", "-", "-o", output, *flags], input=text, text=True, check=True)


def make(build, directory, before, *flags):
    """Lays the programs of @build below @directory, which every user may enter, with the C text @before for the runner, whose
    last act is to return become_runner(argv). Returns what a Daemon takes for a build."""
    for program in PROGRAMS:
        target = directory / "daemon" / program
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "daemon" / program, target)
    shutil.copy(build / RUNNER, directory / BEHIND)
    compile_text(BRING + before, directory / RUNNER, f'-DBEHIND="{directory / BEHIND}"', *PRIVATE_HEADERS, *flags)
    return directory


def make_simulated(build, directory):
    clock = directory / "clock.so"
    compile_text(CLOCK, clock, "-shared", "-fPIC")
    return make(build, directory, BEFORE, f'-DCLOCK="{clock}"')
