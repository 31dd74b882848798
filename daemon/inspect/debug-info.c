/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/debug-info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/image.h"
#include "util/cleanup.h"

struct DebugInfo {
        Dwarf *dwarf;
        Dwarf_Die unit; /* of the address that was asked for last */
        bool has_unit;
};

DebugInfo *debug_info_new(const Image *image) {
        DebugInfo *info = calloc(1, sizeof *info);

        if (!info)
                return NULL;
        info->dwarf = dwarf_begin_elf(image_elf(image), DWARF_C_READ, NULL);
        if (!info->dwarf)
                return debug_info_free(info);
        return info;
}

DebugInfo *debug_info_free(DebugInfo *info) {
        if (!info)
                return NULL;
        if (info->dwarf)
                dwarf_end(info->dwarf);
        free(info);
        return NULL;
}

/* Finds the unit that the code at @address was compiled in. Tables of addresses are no help: clang writes none. */
static bool info_find_unit(DebugInfo *info, uint64_t address) {
        Dwarf_CU *unit = NULL;

        if (info->has_unit && dwarf_haspc(&info->unit, address) == 1)
                return true;
        info->has_unit = false;
        while (dwarf_get_units(info->dwarf, unit, &unit, NULL, NULL, &info->unit, NULL) == 0) {
                const int tag = dwarf_tag(&info->unit);

                info->has_unit = (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit) &&
                                 dwarf_haspc(&info->unit, address) == 1;
                if (info->has_unit)
                        return true;
        }
        return false;
}

static const char *info_text(DebugInfo *info, unsigned name) {
        Dwarf_Attribute attribute;

        return dwarf_attr(&info->unit, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

bool debug_info_flags(DebugInfo *info, uint64_t address, char flags[static INSPECTION_FLAGS_MAX]) {
        const char *producer = info_find_unit(info, address) ? info_text(info, DW_AT_producer) : NULL;
        const char *first = producer ? strstr(producer, " -") : NULL;

        if (!first)
                return false;
        snprintf(flags, INSPECTION_FLAGS_MAX, "%s", first + 1);
        return true;
}

bool debug_info_is_file(const char *path, const char *name) {
        size_t n_path = strlen(path), n_name;

        while (strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0)
                name = strchr(name, '/') + 1;
        n_name = strlen(name);
        return n_path >= n_name && strcmp(path + n_path - n_name, name) == 0 &&
               (n_path == n_name || path[n_path - n_name - 1] == '/');
}

/* Writes @name, which is of a file in @directory unless it is absolute. */
static bool path_write(const char *directory, const char *name, char path[static INSPECTION_PATH_MAX]) {
        int n;

        if (name[0] != '/' && !directory)
                return false;
        n = snprintf(path, INSPECTION_PATH_MAX, "%s%s%s", name[0] == '/' ? "" : directory, name[0] == '/' ? "" : "/",
                        name);
        return n < (int)INSPECTION_PATH_MAX;
}

/* The file of the unit's table of lines that the compiler was given as @name; NULL where it names none. */
static const char *info_find_file(DebugInfo *info, const char *name) {
        Dwarf_Files *files;
        size_t n;

        if (dwarf_getsrcfiles(&info->unit, &files, &n) != 0)
                return NULL;
        for (size_t i = 0; i < n; i++) {
                const char *file = dwarf_filesrc(files, i, NULL, NULL);

                if (file && debug_info_is_file(file, name))
                        return file;
        }
        return NULL;
}

bool debug_info_path(DebugInfo *info, uint64_t address, const char *name, char path[static INSPECTION_PATH_MAX]) {
        const char *file;

        if (!info_find_unit(info, address))
                return false;
        file = info_find_file(info, name);
        file = file ? file : info_text(info, DW_AT_name);
        return file && path_write(info_text(info, DW_AT_comp_dir), file, path);
}

/* True where the section is there, and compressed in a way that libelf cannot undo. */
static bool is_unknown_compression(const Image *image, const char *section) {
        Elf_Scn *found = NULL;
        size_t names;

        if (elf_getshdrstrndx(image_elf(image), &names) < 0)
                return false;
        while ((found = elf_nextscn(image_elf(image), found)) != NULL) {
                GElf_Shdr header;
                GElf_Chdr compression;
                const char *name = gelf_getshdr(found, &header) ? elf_strptr(image_elf(image), names, header.sh_name)
                                                                : NULL;

                if (name && strcmp(name, section) == 0 && (header.sh_flags & SHF_COMPRESSED))
                        return !gelf_getchdr(found, &compression) || compression.ch_type != ELFCOMPRESS_ZLIB;
        }
        return false;
}

InspectionNoPath debug_info_no_path(const Image *image) {
        size_t n;

        if (image_section(image, ".debug_info", &n))
                return is_unknown_compression(image, ".debug_info") || is_unknown_compression(image, ".debug_line")
                                       ? INSPECTION_NO_PATH_COMPRESSED
                                       : INSPECTION_NO_PATH_NAMED;
        if (image_section(image, ".gnu_debuglink", &n))
                return INSPECTION_NO_PATH_LINKED;
        return image_has_symbols(image) ? INSPECTION_NO_PATH_COMPILED : INSPECTION_NO_PATH_STRIPPED;
}

bool debug_info_line(DebugInfo *info, uint64_t address, const char **ret_path, uint32_t *ret_line) {
        Dwarf_Line *line = info_find_unit(info, address) ? dwarf_getsrc_die(&info->unit, address) : NULL;
        const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        int number;

        if (!path || dwarf_lineno(line, &number) != 0 || number <= 0)
                return false;
        *ret_path = path;
        *ret_line = number;
        return true;
}
