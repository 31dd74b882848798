/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/module.h"

#include <benchd/bench.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/abi.h"
#include "runner/axis.h"
#include "runner/image-offset.h"
#include "runner/loader.h"
#include "runner/report.h"
#include "runner/unique.h"
#include "util/cleanup.h"
#include "util/fd.h"

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

/* True if @fd holds a shared object for this machine; else the report says what it holds. */
static bool module_check_elf(int fd, BlockHead *head) {
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

/* All writes of a memfd are whole. */
static bool module_write(int file, const char *bytes, size_t n, off_t offset) {
        return pwrite(file, bytes, n, offset) == (ssize_t)n;
}

/* True if the shared object in @image has nothing left by which the loader could take it, or a symbol of it, for another's. */
static bool module_set_apart(void *image, size_t n, const UniqueSide *side) {
        size_t n_rebound;

        return unique_rebind(image, n, side, &n_rebound) == 0 && unique_unname(image, n) == 0;
}

/*
 * Adapts @image, private pages of a file of @n bytes, as @how wants. An image that cannot be moved is taken from the
 * file again.
 */
static bool module_adapt(void *image, size_t n, const ModuleCopyWish *how, ImageMove *move, ImageState *ret_state) {
        ImageState state = IMAGE_AS_LINKED;

        if (how->apart && !module_set_apart(image, n, how->apart))
                return false;
        if (how->moves)
                state = image_offset_apply(image, n, how->image_offset_bytes, move);
        *ret_state = state;
        if (state == IMAGE_AS_LINKED || image_state_is_moved(state))
                return true;
        if (madvise(image, n, MADV_DONTNEED) < 0)
                return false;
        return !how->apart || module_set_apart(image, n, how->apart);
}

static bool module_write_copy(char *image, size_t n, const ModuleCopyWish *how, int file, ModulePlace *ret_place) {
        const size_t n_head = sizeof(Elf64_Ehdr);
        ImageMove move = { .n_bytes = n };
        ImageState state;

        if (!module_adapt(image, n, how, &move, &state) || !module_write(file, image, n_head, 0) ||
                        !module_write(file, image + n_head, move.n_bytes - n_head, n_head + move.offset_bytes))
                return false;
        *ret_place = (ModulePlace){ .state = state, .image_offset_bytes = move.offset_bytes };
        return true;
}

static bool module_fill(int fd, const ModuleCopyWish *how, int file, ModulePlace *ret_place) {
        struct stat status;
        void *image;
        bool done;

        if (fstat(fd, &status) < 0)
                return false;
        image = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        if (image == MAP_FAILED)
                return false;
        done = module_write_copy(image, status.st_size, how, file, ret_place);
        munmap(image, status.st_size);
        return done;
}

int module_copy(int fd, const ModuleCopyWish *copy, BlockHead *head, ModulePlace *ret_place) {
        _cleanup_(fd_closep) int file = -1;

        if (!copy->library && !module_check_elf(fd, head))
                return -1;
        file = memfd_create("module", MFD_CLOEXEC);
        if (file >= 0 && module_fill(fd, copy, file, ret_place))
                return fd_take(&file);
        report_end(head, copy->library ? RUNNER_END_LIBRARY : RUNNER_END_LOAD, "%s",
                        copy->apart ? "it cannot be kept apart from those of the other module" : "it cannot be copied");
        return -1;
}

/* Takes the file in @fd, which is loaded as @handle, for a module. */
static bool module_adopt(void *handle, int fd, BlockHead *head, Module *ret_module) {
        Module module;

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

bool module_load(int fd, const Libraries *libraries, BlockHead *head, Module *ret_module) {
        void *handle;

        if (!module_check_elf(fd, head))
                return false;
        handle = loader_open_with(fd, libraries, RUNNER_END_LOAD, head);
        return handle && module_adopt(handle, fd, head, ret_module);
}

bool module_load_paths(const char *path, const char *const *libraries, size_t n_libraries, BlockHead *head,
                Module *ret_module) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
        void *handle;

        if (fd < 0) {
                report_end(head, RUNNER_END_LOAD, "%s", strerrordesc_np(errno));
                return false;
        }
        if (!module_check_elf(fd, head))
                return false;
        for (size_t i = 0; i < n_libraries; i++)
                if (!loader_open_file(libraries[i], RUNNER_END_LIBRARY, head))
                        return false;
        handle = loader_open_file(path, RUNNER_END_LOAD, head);
        return handle && module_adopt(handle, fd, head, ret_module);
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
