/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/load/module.h"

#include <benchd/bench.h>

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/load/abi.h"
#include "runner/load/start.h"
#include "runner/watch/report.h"
#include "util/cleanup.h"

#define AXIS_WORDS_MAX 256

/* An argument being checked, and its error. */
typedef struct AxisCheck {
        const struct bench_axis *axis;
        char words[AXIS_WORDS_MAX];
} AxisCheck;

/* Sets the error. Returns false, for the check to return. */
static bool __attribute__((format(printf, 2, 3))) axis_refuse(AxisCheck *check, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(check->words, sizeof check->words, format, arguments);
        va_end(arguments);
        return false;
}

/* ---- ranges */

/* Prints a range as in the source. */
static const char *axis_range_words(const struct bench_axis *axis, char words[static AXIS_WORDS_MAX]) {
        snprintf(words, AXIS_WORDS_MAX, "%s(%s, %" PRId64 ", %" PRId64 ", %" PRId64 ")",
                        axis->kind == BENCH_AXIS_LINEAR ? "BENCH_LINEAR" : "BENCH_RANGE", axis->name, axis->first,
                        axis->last, axis->factor);
        return words;
}

static uint64_t axis_count_steps(const struct bench_axis *axis) {
        const uint64_t length = (uint64_t)axis->last - (uint64_t)axis->first, step = (uint64_t)axis->factor;

        return length / step + (length % step > 0) + (length / step < UINT64_MAX - 1);
}

static bool axis_check_linear(AxisCheck *check, const char *range) {
        const struct bench_axis *axis = check->axis;

        if (axis->factor < 1)
                return axis_refuse(check, "%s stands still: a step is 1 or more", range);
        if (axis_count_steps(axis) > LISTING_STEPS_MAX)
                return axis_refuse(check, "%s has %" PRIu64 " values, of at most %u: take larger steps", range,
                                axis_count_steps(axis), LISTING_STEPS_MAX);
        return true;
}

static bool axis_check_factors(AxisCheck *check, const char *range) {
        const struct bench_axis *axis = check->axis;

        if (axis->factor < 2)
                return axis_refuse(check,
                                "%s does not grow: a factor is 2 or more. BENCH_LINEAR goes on by a step instead",
                                range);
        if (axis->first < 1)
                return axis_refuse(check,
                                "%s begins at %" PRId64
                                ", and no factor leads on from there: begin at 1 or more. BENCH_LINEAR may begin "
                                "anywhere",
                                range, axis->first);
        return true;
}

static bool axis_check_range(AxisCheck *check) {
        const struct bench_axis *axis = check->axis;
        char range[AXIS_WORDS_MAX];

        axis_range_words(axis, range);
        if (axis->last < axis->first)
                return axis_refuse(check, "%s ends before it begins", range);
        return axis->kind == BENCH_AXIS_LINEAR ? axis_check_linear(check, range) : axis_check_factors(check, range);
}

/* ---- lists */

static bool axis_check_text(AxisCheck *check, const char *text) {
        const char *name = check->axis->name;

        if (!text || !*text)
                return axis_refuse(check, "a text of BENCH_TEXTS(%s) is %s", name, text ? "empty" : "NULL");
        if (strnlen(text, ARGUMENT_TEXT_MAX) == ARGUMENT_TEXT_MAX)
                return axis_refuse(check, "a text of BENCH_TEXTS(%s), '%.*s...', has over %u characters", name,
                                (int)ARGUMENT_TEXT_MAX - 1, text, ARGUMENT_TEXT_MAX - 1);
        for (const char *c = text; *c; c++)
                if (!argument_character_is_valid(*c))
                        return axis_refuse(check,
                                        "'%s' of BENCH_TEXTS(%s) has a character that no name of a row can have "
                                        "(letters, digits and _ . - + : @ %% can be)",
                                        text, name);
        return true;
}

static bool axis_check_value(AxisCheck *check, uint32_t index) {
        const struct bench_axis *axis = check->axis;

        if (axis->kind == BENCH_AXIS_TEXTS)
                return axis_check_text(check, axis->texts[index]);
        if (axis->kind == BENCH_AXIS_REALS && !isfinite(axis->reals[index]))
                return axis_refuse(check, "a value of BENCH_REALS(%s) is %g, which is not finite", axis->name,
                                axis->reals[index]);
        return true;
}

static ArgumentValue axis_value(const struct bench_axis *axis, uint32_t index) {
        if (axis->kind == BENCH_AXIS_REALS)
                return argument_real(axis->reals[index]);
        if (axis->kind == BENCH_AXIS_TEXTS)
                return argument_text(axis->texts[index]);
        return argument_integer(axis->values[index]);
}

/* Rows are named by their printed values: two that print the same would be one row. */
static bool axis_check_equal(AxisCheck *check, uint32_t index) {
        const ArgumentValue value = axis_value(check->axis, index);
        char words[ARGUMENT_TEXT_MAX], others[ARGUMENT_TEXT_MAX];

        argument_print(&value, words);
        for (uint32_t i = 0; i < index; i++) {
                const ArgumentValue other = axis_value(check->axis, i);

                if (strcmp(words, argument_print(&other, others)) == 0)
                        return axis_refuse(check, "%s=%s is there twice: each value makes a separate row",
                                        check->axis->name, words);
        }
        return true;
}

static bool axis_check_list(AxisCheck *check) {
        const struct bench_axis *axis = check->axis;

        if (axis->n_values > BENCH_VALUES_MAX)
                return axis_refuse(check, "the argument %s has %u values, of at most %u", axis->name, axis->n_values,
                                BENCH_VALUES_MAX);
        for (uint32_t i = 0; i < axis->n_values; i++)
                if (!axis_check_value(check, i) || !axis_check_equal(check, i))
                        return false;
        return true;
}

/* ---- all of them */

static bool axis_check(AxisCheck *check) {
        const struct bench_axis *axis = check->axis;

        if (!report_name_is_valid(axis->name))
                return axis_refuse(check,
                                "'%.100s' is no name of an argument (letters, digits and _ . - +, at most %u)",
                                axis->name, RUNNER_NAME_MAX - 1);
        if (axis->kind > BENCH_AXIS_LINEAR)
                return axis_refuse(check, "the argument %s is of a kind, %u, that this benchd does not know",
                                axis->name, axis->kind);
        if (axis->n_values > 0 && axis->kind != BENCH_AXIS_LINEAR)
                return axis_check_list(check);
        if (axis->kind == BENCH_AXIS_REALS || axis->kind == BENCH_AXIS_TEXTS)
                return axis_refuse(check, "the argument %s has no values", axis->name);
        return axis_check_range(check);
}

static bool axis_check_other_names(AxisCheck *check, const struct bench_args *args) {
        for (const struct bench_axis *other = args->axes; other < check->axis; other++)
                if (other->name && strcmp(other->name, check->axis->name) == 0)
                        return axis_refuse(check, "two of its arguments are called %s", other->name);
        return true;
}

/* True if @args, of the benchmark @row, are valid. Otherwise the error is the end in @head. */
static bool axis_check_all(const struct bench_args *args, const char *row, BlockHead *head) {
        for (size_t i = 0; i < BENCH_AXES_MAX; i++) {
                AxisCheck check = { .axis = &args->axes[i] };

                if (!check.axis->name || (axis_check(&check) && axis_check_other_names(&check, args)))
                        continue;
                report_end(head, RUNNER_END_BAD_DESCRIPTOR, "%s: %s", row, check.words);
                return false;
        }
        return true;
}

void module_axis_list(const struct bench_axis *axis, ListingAxis *ret_axis) {
        snprintf(ret_axis->name, sizeof ret_axis->name, "%s", axis->name);
        ret_axis->first = axis->first;
        ret_axis->last = axis->last;
        if (axis->kind == BENCH_AXIS_LINEAR) {
                ret_axis->step = axis->factor;
                return;
        }
        ret_axis->factor = axis->factor;
        ret_axis->n_values = axis->n_values;
        for (uint32_t i = 0; i < axis->n_values; i++) {
                const ArgumentValue value = axis_value(axis, i);

                ret_axis->kind = value.kind;
                if (value.kind == ARGUMENT_REAL)
                        ret_axis->reals[i] = value.real;
                else if (value.kind == ARGUMENT_TEXT)
                        memcpy(ret_axis->texts[i], value.text, sizeof ret_axis->texts[i]);
                else
                        ret_axis->integers[i] = value.integer;
        }
}

#define ELF_WORD_MAX 32
#define DESCRIPTORS  "benchd_descriptors" /* a section of each object with a benchmark */

/* The shape of a file by its segments. */
typedef struct ElfSegments {
        bool whole;   /* each lies within the file: otherwise access to its mapping is a SIGBUS */
        bool program; /* it has an interpreter, so it is a program, position-independent or not */
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

/*
 * True if a section of @fd, a checked ELF file, has descriptors of benchmarks. A file without section headers has no
 * names to search.
 */
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

/* A file that the loader refused to preload is not loaded yet: loading it now yields the reason. */
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
