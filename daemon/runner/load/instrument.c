/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/instrument.h"

#include <ctype.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "ops/block.h"
#include "runner/load/elf-image.h"
#include "util/cleanup.h"
#include "util/file-name.h"

#define INSTRUMENT_VALGRIND_PREFIX "vgpreload_" /* of the files that valgrind preloads */

/* ---- symbols */

uint32_t instrument_of_symbol(const char *name) {
        static const struct {
                const char *name;
                bool begins; /* the name is a prefix */
                uint32_t instrument;
        } rows[] = {
                { "mcount", false, INSTRUMENT_PROFILING },
                { "_mcount", false, INSTRUMENT_PROFILING },
                { "__fentry__", false, INSTRUMENT_PROFILING },
                { "__cyg_profile_func_", true, INSTRUMENT_FUNCTION_HOOKS },
                { "__gcov_", true, INSTRUMENT_COVERAGE },
                { "__llvm_profile_", true, INSTRUMENT_COVERAGE },
                { "__sanitizer_cov_", true, INSTRUMENT_COVERAGE },
                { "__asan_", true, INSTRUMENT_ADDRESS_SANITIZER },
                { "__hwasan_", true, INSTRUMENT_ADDRESS_SANITIZER },
                { "__tsan_", true, INSTRUMENT_THREAD_SANITIZER },
                { "__msan_", true, INSTRUMENT_MEMORY_SANITIZER },
                { "__ubsan_", true, INSTRUMENT_UNDEFINED_SANITIZER },
        };
        const size_t n = strcspn(name, "@"); /* a static linker's tables have the version after it */

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const size_t length = strlen(rows[i].name);

                if ((rows[i].begins ? n > length : n == length) && memcmp(name, rows[i].name, length) == 0)
                        return rows[i].instrument;
        }
        return 0;
}

void instrument_find_in_file(int fd, SampleInstruments *told) {
        const Elf64_Shdr *section;
        ElfImage file;

        if (!elf_sections_map(fd, &file))
                return;
        for (uint64_t i = 0; (section = elf_section_at(&file, i)); i++) {
                ElfSectionTable symbols;

                if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM)
                        continue;
                symbols = elf_section_table(&file, section, sizeof(Elf64_Sym));
                for (uint64_t at = 0; at < symbols.n; at++)
                        told->present |= instrument_of_symbol(elf_section_symbol_name(&file, &symbols, at));
        }
        elf_sections_unmap(&file);
}

/* ---- what came along */

bool instrument_is_own_object(const char *path) {
        static const char *const own[] = { "libc.so.", "ld-", "ld64.", "linux-vdso" };
        const char *name = file_name_of(path);

        for (size_t i = 0; i < N_ELEMENTS(own); i++)
                if (strncmp(name, own[i], strlen(own[i])) == 0)
                        return true;
        return !*name; /* the program itself has none */
}

/* Keeps the characters that benchd accepts in a name: letters, digits and _.-+ (ops/block.c). */
static void copy_name(char to[static INSTRUMENT_NAME_MAX], const char *name) {
        size_t n = 0;

        for (; *name && n + 1 < INSTRUMENT_NAME_MAX; name++)
                to[n++] = isalnum((unsigned char)*name) || strchr("_.-+", *name) ? *name : '_';
        to[n] = '\0';
}

static int note_object(struct dl_phdr_info *object, size_t size, void *argument) {
        SampleInstruments *told = argument;
        const char *name = file_name_of(object->dlpi_name);

        if (instrument_is_own_object(object->dlpi_name))
                return 0;
        if (strncmp(name, INSTRUMENT_VALGRIND_PREFIX, strlen(INSTRUMENT_VALGRIND_PREFIX)) == 0) {
                told->present |= INSTRUMENT_VALGRIND;
                return 0;
        }
        told->present |= INSTRUMENT_PRELOADED;
        if (!*told->preloaded)
                copy_name(told->preloaded, name);
        return 0;
}

void instrument_find_preloaded(SampleInstruments *told) {
        dl_iterate_phdr(note_object, told);
}

void instrument_find_variables(SampleInstruments *told) {
        static const struct {
                const char *name;
                uint32_t instrument;
        } rows[] = {
                { "LD_AUDIT", INSTRUMENT_LD_AUDIT },
                { "LD_PROFILE", INSTRUMENT_LD_PROFILE },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const char *value = getenv(rows[i].name);

                told->present |= value && *value ? rows[i].instrument : 0;
        }
}
