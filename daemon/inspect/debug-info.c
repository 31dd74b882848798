/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/debug-info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
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
                info->has_unit =
                                dwarf_tag(&info->unit) == DW_TAG_compile_unit && dwarf_haspc(&info->unit, address) == 1;
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

bool debug_info_path(DebugInfo *info, uint64_t address, char path[static INSPECTION_PATH_MAX]) {
        const char *name = info_find_unit(info, address) ? info_text(info, DW_AT_name) : NULL;
        const char *directory = name ? info_text(info, DW_AT_comp_dir) : NULL;
        int n;

        if (!name || (name[0] != '/' && !directory))
                return false;
        n = snprintf(path, INSPECTION_PATH_MAX, "%s%s%s", name[0] == '/' ? "" : directory, name[0] == '/' ? "" : "/",
                        name);
        return n < (int)INSPECTION_PATH_MAX;
}

bool debug_info_is_file(const char *path, const char *name) {
        size_t n_path = strlen(path), n_name;

        while (strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0)
                name = strchr(name, '/') + 1;
        n_name = strlen(name);
        return n_path >= n_name && strcmp(path + n_path - n_name, name) == 0 &&
               (n_path == n_name || path[n_path - n_name - 1] == '/');
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
