/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/watch/crash-place.h"
#include "util/file-name.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAPS_LINE_MAX   4352u /* a path and the fields before it */
#define SYMBOLS_AT_ONCE 64u
#define LIBRARY_WORDS   "a library of the module"

static bool read_whole(int fd, void *buffer, size_t n, uint64_t offset) {
        return offset <= INT64_MAX && pread(fd, buffer, n, offset) == (ssize_t)n;
}

/* ---- the memory map */

typedef struct Mapping {
        uint64_t start;
        uint64_t end;
        uint64_t file_offset;
        dev_t device;
        ino_t inode;
        bool executable;
        const char *path; /* within its line */
} Mapping;

typedef struct MapsReader {
        int fd;
        size_t n;    /* bytes in text */
        size_t used; /* ... of lines that were returned already */
        char text[MAPS_LINE_MAX];
} MapsReader;

/* The next line without its newline; NULL after the last, or if a line is too long. */
static char *maps_next_line(MapsReader *reader) {
        for (;;) {
                char *line = reader->text + reader->used;
                char *end = memchr(line, '\n', reader->n - reader->used);
                ssize_t n;

                if (end) {
                        *end = '\0';
                        reader->used = end + 1 - reader->text;
                        return line;
                }
                reader->n -= reader->used;
                memmove(reader->text, line, reader->n);
                reader->used = 0;
                n = reader->n < sizeof reader->text
                                    ? read(reader->fd, reader->text + reader->n, sizeof reader->text - reader->n)
                                    : 0;
                if (n <= 0)
                        return NULL;
                reader->n += n;
        }
}

/* Parses a number, of base 16 at most, and skips the character after it: strtoull() may use the locale. */
static uint64_t take_number(const char **text, unsigned base) {
        static const char digits[] = "0123456789abcdef";
        uint64_t value = 0;

        for (; **text; (*text)++) {
                const char *digit = memchr(digits, **text, base);

                if (!digit)
                        break;
                value = value * base + (digit - digits);
        }
        *text += **text != '\0';
        return value;
}

/* "start-end rwxp offset major:minor inode   path" */
static void maps_read_line(const char *line, Mapping *ret_mapping) {
        Mapping mapping = {};
        unsigned major, minor;

        mapping.start = take_number(&line, 16);
        mapping.end = take_number(&line, 16);
        if (strlen(line) > 5) {
                mapping.executable = line[2] == 'x';
                line += 5;
        }
        mapping.file_offset = take_number(&line, 16);
        major = take_number(&line, 16);
        minor = take_number(&line, 16);
        mapping.device = makedev(major, minor);
        mapping.inode = take_number(&line, 10);
        mapping.path = line + strspn(line, " ");
        *ret_mapping = mapping;
}

static bool maps_open(MapsReader *ret_reader) {
        ret_reader->n = ret_reader->used = 0;
        ret_reader->fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
        return ret_reader->fd >= 0;
}

/* ---- files */

/* The file of @files that is mapped at @mapping; NULL if none is. */
static const CrashFile *find_file(const CrashFiles *files, const Mapping *mapping) {
        for (uint32_t i = 0; i < files->n && mapping->inode > 0; i++) {
                struct stat status;

                if (fstat(files->files[i].loaded_fd, &status) == 0 && status.st_ino == mapping->inode &&
                                status.st_dev == mapping->device)
                        return &files->files[i];
        }
        return NULL;
}

void crash_place_modules(const CrashFiles *files, CrashCodes *ret_codes) {
        static MapsReader reader;
        const CrashFile *file;
        Mapping mapping;
        char *line;

        ret_codes->n = 0;
        if (!maps_open(&reader))
                return;
        while (ret_codes->n < CRASH_CODE_MAX && (line = maps_next_line(&reader))) {
                maps_read_line(line, &mapping);
                file = mapping.executable ? find_file(files, &mapping) : NULL;
                if (file && file->is_module)
                        ret_codes->rows[ret_codes->n++] = (CrashCode){ mapping.start, mapping.end };
        }
        close(reader.fd);
}

bool crash_place_is_module(const CrashCodes *codes, uint64_t address) {
        for (uint32_t i = 0; i < codes->n; i++)
                if (address >= codes->rows[i].start && address < codes->rows[i].end)
                        return true;
        return false;
}

static void name_file(const char *path, char file[static CRASH_FILE_MAX]) {
        const char *name = file_name_of(path);
        size_t n = strcspn(name, " ");

        n = n < CRASH_FILE_MAX ? n : CRASH_FILE_MAX - 1;
        memcpy(file, name, n);
        file[n] = '\0';
}

/* A file that the loader found by itself usually still exists under its path. */
static void find_in_other_file(const Mapping *mapping, uint64_t file_offset, BlockCrashPlace *ret_place) {
        int fd = *mapping->path == '/' ? open(mapping->path, O_RDONLY | O_CLOEXEC) : -1;

        name_file(mapping->path, ret_place->file);
        if (fd < 0 || !ret_place->file[0])
                return;
        ret_place->found = crash_place_symbol(fd, file_offset, ret_place->symbol, &ret_place->offset);
        close(fd);
}

static void find_in_mapping(const CrashFiles *files, const Mapping *mapping, uint64_t address,
                BlockCrashPlace *ret_place) {
        const uint64_t file_offset = address - mapping->start + mapping->file_offset;
        const CrashFile *file = find_file(files, mapping);

        if (!file) {
                find_in_other_file(mapping, file_offset, ret_place);
                return;
        }
        if (!file->is_module)
                strcpy(ret_place->file, LIBRARY_WORDS);
        ret_place->found = crash_place_symbol(file->symbols_fd, file_offset - file->offset_bytes, ret_place->symbol,
                        &ret_place->offset);
}

void crash_place_find(const CrashFiles *files, uint64_t address, BlockCrashPlace *ret_place) {
        static MapsReader reader;
        Mapping mapping;
        char *line;

        memset(ret_place, 0, sizeof *ret_place);
        if (!maps_open(&reader))
                return;
        while ((line = maps_next_line(&reader))) {
                maps_read_line(line, &mapping);
                if (address < mapping.start || address >= mapping.end)
                        continue;
                find_in_mapping(files, &mapping, address, ret_place);
                break;
        }
        close(reader.fd);
}

/* ---- symbols */

/* The address that the byte at @offset of the file is linked to, by the segment that loads it. */
static bool linked_address(int fd, const Elf64_Ehdr *elf, uint64_t offset, uint64_t *ret_address) {
        for (unsigned i = 0; i < elf->e_phnum; i++) {
                Elf64_Phdr segment;

                if (!read_whole(fd, &segment, sizeof segment, elf->e_phoff + i * sizeof segment))
                        return false;
                if (segment.p_type != PT_LOAD || offset < segment.p_offset ||
                                offset - segment.p_offset >= segment.p_filesz)
                        continue;
                *ret_address = offset - segment.p_offset + segment.p_vaddr;
                return true;
        }
        return false;
}

static bool read_section(int fd, const Elf64_Ehdr *elf, uint32_t index, Elf64_Shdr *ret_section) {
        return index < elf->e_shnum &&
               read_whole(fd, ret_section, sizeof *ret_section, elf->e_shoff + index * sizeof *ret_section);
}

/* The full table of symbols, else the dynamic one. */
static bool find_table(int fd, const Elf64_Ehdr *elf, Elf64_Shdr *ret_table) {
        Elf64_Shdr section;
        bool found = false;

        for (uint32_t i = 0; read_section(fd, elf, i, &section); i++) {
                if (section.sh_type != SHT_SYMTAB && (found || section.sh_type != SHT_DYNSYM))
                        continue;
                *ret_table = section;
                found = true;
                if (section.sh_type == SHT_SYMTAB)
                        break;
        }
        return found;
}

/* The last function that begins at or before the address and reaches it. */
static bool symbol_is_nearer(const Elf64_Sym *symbol, const Elf64_Sym *best, uint64_t address) {
        const unsigned type = ELF64_ST_TYPE(symbol->st_info);

        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF || symbol->st_value > address)
                return false;
        if (symbol->st_size > 0 && address - symbol->st_value >= symbol->st_size)
                return false;
        return best->st_name == 0 || symbol->st_value > best->st_value;
}

static bool find_symbol(int fd, const Elf64_Shdr *table, uint64_t address, Elf64_Sym *ret_symbol) {
        Elf64_Sym symbols[SYMBOLS_AT_ONCE], best = {};

        for (uint64_t done = 0; done + sizeof *symbols <= table->sh_size;) {
                uint64_t left = table->sh_size - done;
                ssize_t n = pread(fd, symbols, left < sizeof symbols ? left : sizeof symbols, table->sh_offset + done);

                if (n < (ssize_t)sizeof *symbols)
                        break;
                for (size_t i = 0; i < n / sizeof *symbols; i++)
                        if (symbol_is_nearer(&symbols[i], &best, address))
                                best = symbols[i];
                done += n / sizeof *symbols * sizeof *symbols;
        }
        *ret_symbol = best;
        return best.st_name != 0;
}

bool crash_place_symbol(int fd, uint64_t offset_bytes, char symbol[static CRASH_SYMBOL_MAX], uint64_t *ret_offset) {
        Elf64_Shdr table, strings;
        Elf64_Sym best;
        Elf64_Ehdr elf;
        uint64_t address;
        ssize_t n;

        symbol[0] = '\0';
        if (!read_whole(fd, &elf, sizeof elf, 0) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
                        !linked_address(fd, &elf, offset_bytes, &address))
                return false;
        *ret_offset = address;
        if (!find_table(fd, &elf, &table) || !find_symbol(fd, &table, address, &best) ||
                        !read_section(fd, &elf, table.sh_link, &strings))
                return true;
        n = pread(fd, symbol, CRASH_SYMBOL_MAX - 1, strings.sh_offset + best.st_name);
        symbol[n > 0 ? n : 0] = '\0';
        if (symbol[0])
                *ret_offset = address - best.st_value;
        return true;
}
