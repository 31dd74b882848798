/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/embedded.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/file-name.h"

#define EMBEDDED_SECTION "benchd_source"
#define EMBEDDED_NAMED   '\1' /* the byte before a name */

#define EMBEDDED_LIBRARIES_MAX 64u

struct EmbeddedSources {
        char *bytes; /* of the section, followed by a zero byte */
        EmbeddedSource *sources;
        size_t n;
        char *libraries[EMBEDDED_LIBRARIES_MAX];
        size_t n_libraries;
};

/* ---- the section in the file */

typedef struct Bytes {
        const uint8_t *data;
        size_t n;
} Bytes;

/* Copies @n bytes from @offset, since nothing says that they are aligned. Returns false where they lie beyond the end. */
static bool bytes_copy(const Bytes *bytes, uint64_t offset, void *to, size_t n) {
        if (offset > bytes->n || n > bytes->n - offset)
                return false;
        memcpy(to, bytes->data + offset, n);
        return true;
}

static bool elf_section(const Bytes *file, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *ret_section) {
        return header->e_shoff <= file->n &&
               bytes_copy(file, header->e_shoff + index * sizeof *ret_section, ret_section, sizeof *ret_section);
}

/* True if the name at @offset is @name. */
static bool has_name(const Bytes *file, uint64_t offset, const char *name) {
        const size_t n = strlen(name) + 1;

        return offset <= file->n && n <= file->n - offset && memcmp(file->data + offset, name, n) == 0;
}

/* Finds the contents of the section @name. Returns 0, with no bytes where there is none, or E_FOREIGN. */
static int find_section(const Bytes *file, const char *name, Bytes *ret_contents) {
        Elf64_Shdr names, section;
        Elf64_Ehdr header;

        *ret_contents = (Bytes){};
        if (!bytes_copy(file, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
                        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
                return EMBEDDED_E_FOREIGN;
        if (header.e_shnum == 0)
                return 0;
        if (header.e_shentsize != sizeof section || !elf_section(file, &header, header.e_shstrndx, &names) ||
                        names.sh_offset > file->n)
                return EMBEDDED_E_FOREIGN;
        for (unsigned i = 0; i < header.e_shnum; i++) {
                if (!elf_section(file, &header, i, &section))
                        return EMBEDDED_E_FOREIGN;
                if (!has_name(file, names.sh_offset + section.sh_name, name))
                        continue;
                if (section.sh_type == SHT_NOBITS || section.sh_offset > file->n ||
                                section.sh_size > file->n - section.sh_offset)
                        return EMBEDDED_E_FOREIGN;
                *ret_contents = (Bytes){ file->data + section.sh_offset, section.sh_size };
        }
        return 0;
}

/* ---- the sources in the section */

static bool embedded_has(const EmbeddedSources *sources, const char *name) {
        for (size_t i = 0; *name && i < sources->n; i++)
                if (strcmp(sources->sources[i].name, name) == 0)
                        return true;
        return false;
}

static int embedded_add(EmbeddedSources *sources, const char *name, const char *text) {
        EmbeddedSource *grown;

        name = file_name_of(name);
        if (!*text || embedded_has(sources, name))
                return 0;
        grown = reallocarray(sources->sources, sources->n + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        sources->sources = grown;
        grown[sources->n++] = (EmbeddedSource){ .name = name, .text = text };
        return 0;
}

/* Zero bytes between sources are the linker's padding. */
static int embedded_split(EmbeddedSources *sources, size_t n_bytes) {
        const char *at = sources->bytes, *end = at + n_bytes;
        int r = 0;

        while (r == 0 && at < end) {
                const char *name = *at == EMBEDDED_NAMED ? at + 1 : "", *text = *name ? name + strlen(name) + 1 : at;

                if (text >= end)
                        break;
                r = embedded_add(sources, name, text);
                at = text + strlen(text) + 1;
        }
        return error_trace(r);
}

/* A file without such sections has no libraries. */
static int embedded_find_libraries(EmbeddedSources *sources, const Bytes *file) {
        Bytes dynamic, strings;
        Elf64_Dyn entry;

        if (find_section(file, ".dynamic", &dynamic) != 0 || find_section(file, ".dynstr", &strings) != 0)
                return 0;
        for (size_t at = 0; bytes_copy(&dynamic, at, &entry, sizeof entry); at += sizeof entry) {
                const char *name = (const char *)strings.data + entry.d_un.d_val;

                if (entry.d_tag != DT_NEEDED || sources->n_libraries == EMBEDDED_LIBRARIES_MAX ||
                                entry.d_un.d_val >= strings.n || !memchr(name, '\0', strings.n - entry.d_un.d_val))
                        continue;
                sources->libraries[sources->n_libraries] = strdup(name);
                if (!sources->libraries[sources->n_libraries++])
                        return error_origin(-ENOMEM);
        }
        return 0;
}

int embedded_sources_parse(const uint8_t *data, size_t n_data, EmbeddedSources **ret_sources) {
        _cleanup_(embedded_sources_freep) EmbeddedSources *sources = NULL;
        const Bytes file = { data, n_data };
        Bytes contents;
        int r;

        r = find_section(&file, EMBEDDED_SECTION, &contents);
        if (r)
                return r;
        sources = calloc(1, sizeof *sources);
        if (!sources)
                return error_origin(-ENOMEM);
        sources->bytes = calloc(1, contents.n + 1);
        if (!sources->bytes)
                return error_origin(-ENOMEM);
        if (contents.n > 0)
                memcpy(sources->bytes, contents.data, contents.n);
        r = embedded_split(sources, contents.n);
        if (r == 0)
                r = embedded_find_libraries(sources, &file);
        if (r)
                return error_trace(r);
        *ret_sources = take_pointer(sources);
        return 0;
}

int embedded_sources_read(const char *path, EmbeddedSources **ret_sources) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
        struct stat status;
        void *data;
        int r;

        if (fd < 0 || fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (status.st_size == 0)
                return EMBEDDED_E_FOREIGN;
        data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
                return error_origin(-errno);
        r = embedded_sources_parse(data, (size_t)status.st_size, ret_sources);
        munmap(data, (size_t)status.st_size);
        return r;
}

EmbeddedSources *embedded_sources_free(EmbeddedSources *sources) {
        if (!sources)
                return NULL;
        for (size_t i = 0; i < sources->n_libraries; i++)
                free(sources->libraries[i]);
        free(sources->sources);
        free(sources->bytes);
        free(sources);
        return NULL;
}

const EmbeddedSource *embedded_source_at(const EmbeddedSources *sources, size_t index) {
        return index < sources->n ? &sources->sources[index] : NULL;
}

const char *embedded_library_at(const EmbeddedSources *sources, size_t index) {
        return index < sources->n_libraries ? sources->libraries[index] : NULL;
}

/* ---- the area */

/* Copies the identifier at @text. Returns false where there is none, or a longer one. */
static bool take_identifier(const char *text, char ret_area[static EMBEDDED_AREA_MAX]) {
        size_t n = 0;

        while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
                n++;
        if (n == 0 || n >= EMBEDDED_AREA_MAX)
                return false;
        memcpy(ret_area, text, n);
        ret_area[n] = '\0';
        return true;
}

bool embedded_source_area(const EmbeddedSource *source, char ret_area[static EMBEDDED_AREA_MAX]) {
        static const char *const before[] = { "\nBENCH_AREA(", ".area = \"", ".area=\"" };

        for (size_t i = 0; i < N_ELEMENTS(before); i++) {
                const char *found = strstr(source->text, before[i]);

                if (found && take_identifier(found + strlen(before[i]), ret_area))
                        return true;
        }
        return strstr(source->text, "\nBENCH(") && take_identifier(source->name, ret_area);
}

/* ---- what it measures */

/* Copies the string literal at @text, which has no escapes. */
static bool take_literal(const char *text, char ret_about[static EMBEDDED_ABOUT_MAX]) {
        const size_t n = strcspn(text, "\"\\\n");

        if (n == 0 || n >= EMBEDDED_ABOUT_MAX || text[n] != '"')
                return false;
        memcpy(ret_about, text, n);
        ret_about[n] = '\0';
        return true;
}

/* Copies the sentence at @text within a comment; the lines of a comment begin with " * ". */
static bool take_sentence(const char *text, char ret_about[static EMBEDDED_ABOUT_MAX]) {
        size_t n = 0;

        for (; n < EMBEDDED_ABOUT_MAX - 1 && *text && strncmp(text, "*/", 2) != 0; text++) {
                const bool ends = *text == '.' && isspace((unsigned char)text[1]);

                if (ends)
                        break;
                if (*text == '\n')
                        text += strspn(text, "\n *") - 1;
                ret_about[n++] = *text == '\n' || *text == '*' ? ' ' : *text;
        }
        ret_about[n] = '\0';
        return n > 0;
}

bool embedded_source_about(const EmbeddedSource *source, char ret_about[static EMBEDDED_ABOUT_MAX]) {
        static const char about[] = ".about = \"", comment[] = "\n/*\n * ";
        const char *area = strstr(source->text, "\nBENCH_AREA("), *end = area ? strstr(area, ");") : NULL;
        const char *found = area ? strstr(area, about) : NULL;

        if (found && end && found < end && take_literal(found + strlen(about), ret_about))
                return true;
        found = strstr(source->text, comment);
        return found && take_sentence(found + strlen(comment), ret_about);
}
