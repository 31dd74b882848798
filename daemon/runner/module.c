/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/module.h"

#include <benchd/bench.h>

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/abi.h"
#include "runner/axis.h"
#include "runner/report.h"
#include "runner/start.h"
#include "util/cleanup.h"

#define ELF_WORD_MAX 32
#define DESCRIPTORS  "benchd_descriptors" /* a section of each object that holds a benchmark */

/* The shape of a file by its segments. */
typedef struct ElfSegments {
        bool whole;   /* each lies within the file: mapping one that does not is a SIGBUS later */
        bool program; /* it asks for an interpreter, position-independent or not; what is to be loaded does not */
} ElfSegments;

typedef struct ElfArchitecture {
        uint16_t machine;
        const char *name; /* as uname -m has it */
} ElfArchitecture;

static const ElfArchitecture elf_architectures[] = {
        { EM_386, "i386" }, { EM_AARCH64, "aarch64" }, { EM_ARM, "arm" }, { EM_LOONGARCH, "loongarch" },
        { EM_MIPS, "mips" }, { EM_PPC64, "ppc64" }, { EM_RISCV, "riscv" }, { EM_S390, "s390x" },
        { EM_X86_64, "x32" }, /* refused for its class */
};

static const char *elf_architecture(const Elf64_Ehdr *elf, char word[static ELF_WORD_MAX]) {
        const bool swapped = elf->e_ident[EI_DATA] == ELFDATA2MSB;
        const unsigned machine = swapped ? __builtin_bswap16(elf->e_machine) : elf->e_machine;

        for (size_t i = 0; i < N_ELEMENTS(elf_architectures); i++)
                if (elf_architectures[i].machine == machine)
                        return elf_architectures[i].name;
        snprintf(word, ELF_WORD_MAX, "ELF machine %u", machine);
        return word;
}

static ElfSegments elf_read_segments(int fd, const Elf64_Ehdr *elf) {
        ElfSegments segments = { .whole = true };
        struct stat status;

        if (fstat(fd, &status) < 0)
                return (ElfSegments){};
        for (unsigned i = 0; i < elf->e_phnum; i++) {
                Elf64_Phdr segment;

                if (pread(fd, &segment, sizeof segment, elf->e_phoff + i * sizeof segment) != sizeof segment)
                        return (ElfSegments){};
                if (segment.p_type == PT_INTERP)
                        segments.program = true;
                if (segment.p_type == PT_LOAD && (segment.p_offset > (uint64_t)status.st_size ||
                                                                 segment.p_filesz > status.st_size - segment.p_offset))
                        segments.whole = false;
        }
        return segments;
}

bool module_check_elf(int fd, BlockHead *head) {
        char word[ELF_WORD_MAX];
        ElfSegments segments;
        Elf64_Ehdr elf;

        if (pread(fd, &elf, sizeof elf, 0) != sizeof elf || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0) {
                report_end(head, RUNNER_END_NOT_ELF, "%s", "");
                return false;
        }
        if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_machine != EM_X86_64) {
                report_end(head, RUNNER_END_MACHINE, "%s", elf_architecture(&elf, word));
                return false;
        }
        segments = elf_read_segments(fd, &elf);
        if (!segments.whole) {
                report_end(head, RUNNER_END_LOAD, "the file is cut short");
                return false;
        }
        if (elf.e_type != ET_DYN || segments.program) {
                report_end(head, RUNNER_END_NOT_SHARED, "%s", "");
                return false;
        }
        return true;
}

/* True if a section of @fd, a checked ELF file, has descriptors of benchmarks. A file without section headers has no names to look at. */
static bool module_has_descriptors(int fd) {
        char name[sizeof DESCRIPTORS];
        Elf64_Shdr section, names;
        Elf64_Ehdr elf;

        if (pread(fd, &elf, sizeof elf, 0) != sizeof elf || elf.e_shentsize != sizeof section)
                return false;
        if (pread(fd, &names, sizeof names, elf.e_shoff + elf.e_shstrndx * sizeof names) != sizeof names)
                return false;
        for (unsigned i = 0; i < elf.e_shnum; i++) {
                if (pread(fd, &section, sizeof section, elf.e_shoff + i * sizeof section) != sizeof section)
                        return false;
                if (pread(fd, name, sizeof name, names.sh_offset + section.sh_name) == sizeof name &&
                                memcmp(name, DESCRIPTORS, sizeof name) == 0)
                        return true;
        }
        return false;
}

static bool module_check_descriptor(const struct bench_descriptor *descriptor, BlockHead *head) {
        char area[RUNNER_NAME_MAX], row[2 * RUNNER_NAME_MAX];

        module_area(descriptor, area);
        if (!report_name_is_valid(descriptor->name) || !report_name_is_valid(area)) {
                report_end(head, RUNNER_END_BAD_DESCRIPTOR,
                                "%.100s/%.100s is not a name (letters, digits and _ . - +, at most %u)", area,
                                descriptor->name, RUNNER_NAME_MAX - 1);
                return false;
        }
        if (descriptor->options.method && !report_name_is_valid(descriptor->options.method)) {
                report_end(head, RUNNER_END_BAD_DESCRIPTOR, "%.100s/%.100s: its .method is not a name", area,
                                descriptor->name);
                return false;
        }
        snprintf(row, sizeof row, "%s/%s", area, descriptor->name);
        return axis_check_all(&descriptor->options.args, row, head);
}

static bool module_check_tables(const struct bench_module *tables, BlockHead *head) {
        size_t n = tables->descriptors_end - tables->descriptors;

        if (n == 0 || n > LISTING_ENTRIES_MAX) {
                if (n == 0)
                        report_end(head, RUNNER_END_NO_BENCHMARKS, "%s", "");
                else
                        report_end(head, RUNNER_END_BAD_DESCRIPTOR, "it holds %zu benchmarks, of at most %u", n,
                                        LISTING_ENTRIES_MAX);
                return false;
        }
        for (size_t i = 0; i < n; i++)
                if (!module_check_descriptor(tables->descriptors[i], head))
                        return false;
        return true;
}

/* A file that the loader would not preload is not there yet: it says why when it is asked to load it now. */
bool module_adopt(const char *path, int fd, BlockHead *head, Module *ret_module) {
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        Module module;

        if (!handle) {
                report_end(head, RUNNER_END_LOAD, "%s", start_loader_words(path));
                return false;
        }
        module.tables = dlsym(handle, "benchd_module");
        if (!module.tables) {
                report_end(head, module_has_descriptors(fd) ? RUNNER_END_HIDDEN : RUNNER_END_NO_BENCHMARKS, "%s", "");
                return false;
        }
        module.tables = abi_adopt(module.tables, head);
        if (!module.tables || !module_check_tables(module.tables, head))
                return false;
        *ret_module = module;
        return true;
}

void module_area(const struct bench_descriptor *descriptor, char area[static RUNNER_NAME_MAX]) {
        if (descriptor->options.area)
                snprintf(area, RUNNER_NAME_MAX, "%s", descriptor->options.area);
        else
                runner_plan_area_of_file(descriptor->file, area);
}

const struct bench_descriptor *module_find(const Module *module, const char *area, const char *name, BlockHead *head) {
        char own_area[RUNNER_NAME_MAX];

        for (struct bench_descriptor **d = module->tables->descriptors; d < module->tables->descriptors_end; d++) {
                module_area(*d, own_area);
                if (strcmp(own_area, area) == 0 && strcmp((*d)->name, name) == 0)
                        return *d;
        }
        report_end(head, RUNNER_END_NO_SUCH_BENCHMARK, "%s/%s", area, name);
        return NULL;
}

const struct bench_area *module_find_area(const Module *module, const char *name) {
        for (struct bench_area **area = module->tables->areas; area < module->tables->areas_end; area++)
                if (strcmp((*area)->name, name) == 0)
                        return *area;
        return NULL;
}
