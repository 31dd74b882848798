/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/disassembly.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/code.h"
#include "inspect/image.h"
#include "util/cleanup.h"
#include "util/error.h"

struct DisassemblyDebug {
        Dwarf *dwarf;
        Dwarf_Die unit; /* of the last lookup */
        bool has_unit;
};

DisassemblyDebug *disassembly_debug_new(const Image *image) {
        DisassemblyDebug *info = calloc(1, sizeof *info);

        if (!info)
                return NULL;
        info->dwarf = dwarf_begin_elf(image_elf(image), DWARF_C_READ, NULL);
        if (!info->dwarf)
                return disassembly_debug_free(info);
        return info;
}

DisassemblyDebug *disassembly_debug_free(DisassemblyDebug *info) {
        if (!info)
                return NULL;
        if (info->dwarf)
                dwarf_end(info->dwarf);
        free(info);
        return NULL;
}

/*
 * Finds the unit that the code at @address was compiled in. It does not use .debug_aranges, which clang does not write.
 */
static bool info_find_unit(DisassemblyDebug *info, uint64_t address) {
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

static const char *info_text(DisassemblyDebug *info, unsigned name) {
        Dwarf_Attribute attribute;

        return dwarf_attr(&info->unit, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

bool disassembly_debug_flags(DisassemblyDebug *info, uint64_t address, char flags[static INSPECTION_FLAGS_MAX]) {
        const char *producer = info_find_unit(info, address) ? info_text(info, DW_AT_producer) : NULL;
        const char *first = producer ? strstr(producer, " -") : NULL;

        if (!first)
                return false;
        snprintf(flags, INSPECTION_FLAGS_MAX, "%s", first + 1);
        return true;
}

bool disassembly_debug_is_file(const char *path, const char *name) {
        size_t n_path = strlen(path), n_name;

        while (strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0)
                name = strchr(name, '/') + 1;
        n_name = strlen(name);
        return n_path >= n_name && strcmp(path + n_path - n_name, name) == 0 &&
               (n_path == n_name || path[n_path - n_name - 1] == '/');
}

/* Writes the path @name, relative to @directory unless it is absolute. */
static bool path_write(const char *directory, const char *name, char path[static INSPECTION_PATH_MAX]) {
        int n;

        if (name[0] != '/' && !directory)
                return false;
        n = snprintf(path, INSPECTION_PATH_MAX, "%s%s%s", name[0] == '/' ? "" : directory, name[0] == '/' ? "" : "/",
                        name);
        return n < (int)INSPECTION_PATH_MAX;
}

/* The file in the unit's line table that the compiler was given as @name; NULL if there is none. */
static const char *info_find_file(DisassemblyDebug *info, const char *name) {
        Dwarf_Files *files;
        size_t n;

        if (dwarf_getsrcfiles(&info->unit, &files, &n) != 0)
                return NULL;
        for (size_t i = 0; i < n; i++) {
                const char *file = dwarf_filesrc(files, i, NULL, NULL);

                if (file && disassembly_debug_is_file(file, name))
                        return file;
        }
        return NULL;
}

/*
 * Writes the path of the source file of the code at @address that the compiler was given as @name: from the line table, which exists even if
 * the unit has no name (split DWARF, LTO), else from the unit's name. False if it is not known.
 */
static bool debug_info_path(DisassemblyDebug *info, uint64_t address, const char *name,
                char path[static INSPECTION_PATH_MAX]) {
        const char *file;

        if (!info_find_unit(info, address))
                return false;
        file = info_find_file(info, name);
        file = file ? file : info_text(info, DW_AT_name);
        return file && path_write(info_text(info, DW_AT_comp_dir), file, path);
}

/* True if the section exists and is compressed in a way that libelf does not know. */
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

/* Why the debug information of @image has no path of a source. */
static InspectionNoPath debug_info_no_path(const Image *image) {
        size_t n;

        if (image_section(image, ".debug_info", &n))
                return is_unknown_compression(image, ".debug_info") || is_unknown_compression(image, ".debug_line")
                                       ? INSPECTION_NO_PATH_COMPRESSED
                                       : INSPECTION_NO_PATH_NAMED;
        if (image_section(image, ".gnu_debuglink", &n))
                return INSPECTION_NO_PATH_LINKED;
        return image_has_symbols(image) ? INSPECTION_NO_PATH_COMPILED : INSPECTION_NO_PATH_STRIPPED;
}

bool disassembly_debug_line(DisassemblyDebug *info, uint64_t address, const char **ret_path, uint32_t *ret_line) {
        Dwarf_Line *line = info_find_unit(info, address) ? dwarf_getsrc_die(&info->unit, address) : NULL;
        const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        int number;

        if (!path || dwarf_lineno(line, &number) != 0 || number <= 0)
                return false;
        *ret_path = path;
        *ret_line = number;
        return true;
}

#define DISASSEMBLY_NAME         1    /* the byte before the name of an embedded file */
#define DISASSEMBLY_LINES_BEFORE 200u /* of source, kept before a benchmark in a file that is too long */

/* ---- sources */

static void disassembly_add_own_source(const DisassemblyInput *input, InspectionBlock *block) {
        InspectionSource *own = &block->sources[block->n_sources++];

        snprintf(own->name, sizeof own->name, "%s", input->descriptor->file);
        if (input->info && debug_info_path(input->info, input->descriptor->body, own->name, own->path))
                return;
        own->path[0] = 0;
        block->no_path = debug_info_no_path(input->image);
}

/* The index of the source at @path, which is added if it is new; the number of sources if there is no room. */
static uint32_t disassembly_find_source(InspectionBlock *block, const char *path) {
        for (uint32_t i = 0; i < block->n_sources; i++)
                if (strcmp(block->sources[i].path, path) == 0 ||
                                (i == 0 && disassembly_debug_is_file(path, block->sources[0].name)))
                        return i;
        if (block->n_sources == INSPECTION_SOURCES_MAX || strlen(path) >= INSPECTION_PATH_MAX)
                return block->n_sources;
        snprintf(block->sources[block->n_sources].name, INSPECTION_PATH_MAX, "%s", path);
        snprintf(block->sources[block->n_sources].path, INSPECTION_PATH_MAX, "%s", path);
        return block->n_sources++;
}

/* The beginning of line @line, from 1, in the @n bytes at @text; NULL if there are fewer lines. */
static const char *line_of(const char *text, size_t n, uint32_t line) {
        const char *end = text + n;

        for (; line > 1 && text; line--) {
                text = memchr(text, '\n', end - text);
                text = text && text + 1 < end ? text + 1 : NULL;
        }
        return text;
}

static bool is_word(char c) {
        return isalnum((unsigned char)c) || c == '_';
}

static bool is_file_of(const char *name, const ImageDescriptor *descriptor) {
        return descriptor->file && strcmp(name, descriptor->file) == 0;
}

/* True if the benchmark's line has its name as a word, which identifies the file if none is named. */
static bool has_name_in_line(const char *text, size_t n, const ImageDescriptor *descriptor) {
        const char *line = line_of(text, n, descriptor->line);
        const char *end = line ? memchr(line, '\n', text + n - line) : NULL;
        const size_t n_name = strlen(descriptor->name);

        end = end ? end : text + n;
        while (line && (line = memmem(line, end - line, descriptor->name, n_name))) {
                const bool begins = line == text || !is_word(line[-1]),
                           ends = line + n_name == end || !is_word(line[n_name]);

                if (begins && ends)
                        return true;
                line++;
        }
        return false;
}

/* If the file is too long, its text begins some lines before the benchmark. */
static void disassembly_copy_source(const char *text, size_t n, const ImageDescriptor *descriptor,
                InspectionBlock *block) {
        const char *from = text;

        block->first_line = 1;
        if (n >= INSPECTION_TEXT_MAX && descriptor->line > DISASSEMBLY_LINES_BEFORE) {
                const char *line = line_of(text, n, descriptor->line - DISASSEMBLY_LINES_BEFORE);

                if (line) { /* a #line in the file may name a line that does not exist */
                        block->first_line = descriptor->line - DISASSEMBLY_LINES_BEFORE;
                        from = line;
                        n -= from - text;
                }
        }
        block->text_cut = n >= INSPECTION_TEXT_MAX || from > text;
        n = n < INSPECTION_TEXT_MAX ? n : INSPECTION_TEXT_MAX - 1;
        memcpy(block->text, from, n);
        block->text[n] = 0;
}

/*
 * BENCH_EMBED_SOURCE of each file appends a byte 1, the file's name and its text; that of an earlier header appends
 * only the text.
 */
static void disassembly_add_text(const DisassemblyInput *input, InspectionBlock *block) {
        size_t n = 0;
        const char *text = image_section(input->image, "benchd_source", &n), *name = NULL;

        while (text && n > 0) {
                const size_t n_part = strnlen(text, n);
                const bool is_name = *text == DISASSEMBLY_NAME && n_part < n;

                if (!is_name && (name ? is_file_of(name, input->descriptor)
                                      : has_name_in_line(text, n_part, input->descriptor))) {
                        disassembly_copy_source(text, n_part, input->descriptor, block);
                        return;
                }
                if (n_part >= n)
                        return;
                name = is_name ? text + 1 : NULL;
                text += n_part + 1;
                n -= n_part + 1;
        }
}

/* ---- code */

static bool is_transfer(const DecoderInstruction *instruction) {
        return instruction->kind == CODE_CALL || instruction->kind == CODE_JUMP || instruction->kind == CODE_BRANCH;
}

/* The name of the target of a call or jump: an import, or the beginning of a function of the module. */
static const char *target_name(const Image *image, const DecoderInstruction *instruction) {
        const ImageSymbol *symbol;

        if (instruction->kind >= CODE_BRANCH && instruction->name)
                return instruction->name;
        if (!is_transfer(instruction))
                return "";
        symbol = image_symbol(image, instruction->target);
        return symbol && symbol->address == instruction->target ? symbol->name : "";
}

static void disassembly_add_instruction(const DisassemblyInput *input, const DecoderInstruction *instruction,
                uint32_t flags, uint32_t function, InspectionBlock *block) {
        InspectionInstruction *row = &block->instructions[block->n_instructions];
        const char *path;

        if (block->n_instructions == INSPECTION_INSTRUCTIONS_MAX) {
                block->n_cut++;
                return;
        }
        block->n_instructions++;
        decoder_describe(input->decoder, instruction, row);
        row->function = function;
        row->flags = flags;
        snprintf(row->target, sizeof row->target, "%s", target_name(input->image, instruction));
        if (is_transfer(instruction) && !instruction->name) {
                row->target_address = instruction->target;
                row->flags |= INSPECTION_HAS_TARGET;
        }
        if (!input->info || !disassembly_debug_line(input->info, instruction->address, &path, &row->line))
                return;
        row->source = disassembly_find_source(block, path);
        if (row->source < INSPECTION_SOURCES_MAX && row->source < block->n_sources)
                row->flags |= INSPECTION_HAS_SOURCE;
}

/*
 * Adds the instructions of @code that lie in @part; NULL: instructions without a symbol. Adds no function if there are
 * none.
 */
static void disassembly_add_part(const DisassemblyInput *input, const Code *code, const uint8_t *flags,
                const ImageSymbol *part, InspectionBlock *block) {
        uint32_t function = CODE_NONE;

        for (uint32_t i = 0; i < code->n; i++) {
                const DecoderInstruction *instruction = &code->instructions[i];

                if (image_symbol(input->image, instruction->address) != part)
                        continue;
                if (function == CODE_NONE) {
                        if (block->n_functions == INSPECTION_FUNCTIONS_MAX)
                                return;
                        function = block->n_functions++;
                        block->functions[function].address = instruction->address;
                        snprintf(block->functions[function].name, INSPECTION_SYMBOL_MAX, "%s", part ? part->name : "");
                }
                disassembly_add_instruction(input, instruction, flags ? flags[i] : 0, function, block);
        }
}

/* Adds the part of @code with its entry, then the parts that lie elsewhere. */
static void disassembly_add_code(const DisassemblyInput *input, const Code *code, const uint8_t *flags,
                InspectionBlock *block) {
        const ImageSymbol *own = image_symbol(input->image, code->entry), *last = own;

        block->n_cut += code->cut;
        disassembly_add_part(input, code, flags, own, block);
        for (uint32_t i = 0; i < code->n; i++) {
                const ImageSymbol *part = image_symbol(input->image, code->instructions[i].address);

                if (part == own || part == last)
                        continue;
                disassembly_add_part(input, code, flags, part, block);
                last = part;
        }
}

static bool disassembly_has_function(const InspectionBlock *block, uint64_t address) {
        for (uint32_t i = 0; i < block->n_functions; i++)
                if (block->functions[i].address == address)
                        return true;
        return false;
}

/* Adds the module's functions that the loop calls. */
static int disassembly_add_called(const DisassemblyInput *input, InspectionBlock *block) {
        for (uint32_t i = 0; i < input->code->n; i++) {
                const uint64_t callee = code_callee(&input->code->instructions[i]);
                _cleanup_(code_freep) Code *called = NULL;
                int r;

                if (!(input->flags[i] & INSPECTION_IN_LOOP) || callee == 0 || disassembly_has_function(block, callee))
                        continue;
                r = code_new(input->decoder, callee, &called);
                if (r)
                        return error_trace(r);
                disassembly_add_code(input, called, NULL, block);
        }
        return 0;
}

int disassembly_fill(const DisassemblyInput *input, InspectionBlock *block) {
        disassembly_add_own_source(input, block);
        disassembly_add_text(input, block);
        if (!input->code)
                return 0;
        disassembly_add_code(input, input->code, input->flags, block);
        return error_trace(disassembly_add_called(input, block));
}
