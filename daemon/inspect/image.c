/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "inspect/image.h"

#include <benchd/bench.h>

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "ops/block.h"
#include "util/cleanup.h"
#include "util/error.h"

#define IMAGE_SEGMENTS_MAX 32u

typedef struct ImageSegment {
        uint64_t address;
        uint64_t n_bytes; /* in the file */
        uint64_t offset;
        bool executable;
} ImageSegment;

typedef struct ImageImport {
        uint64_t address; /* of the pointer that the loader writes */
        const char *name;
} ImageImport;

struct Image {
        uint8_t *bytes; /* private pages, relocated */
        size_t n_bytes;
        Elf *elf;
        ImageSegment segments[IMAGE_SEGMENTS_MAX];
        size_t n_segments;
        ImageSymbol *symbols; /* by address */
        size_t n_symbols;
        ImageImport *imports; /* by address */
        size_t n_imports;
        bool has_symbols;
};

/* ---- memory */

/* Returns where the file has at least @n bytes for @address; NULL if it does not. */
static uint8_t *image_place(const Image *image, uint64_t address, size_t n, size_t *ret_left, bool *ret_executable) {
        for (size_t i = 0; i < image->n_segments; i++) {
                const ImageSegment *segment = &image->segments[i];
                const uint64_t at = address - segment->address;

                if (address < segment->address || at >= segment->n_bytes || segment->n_bytes - at < n)
                        continue;
                *ret_left = segment->n_bytes - at;
                *ret_executable = segment->executable;
                return image->bytes + segment->offset + at;
        }
        return NULL;
}

const void *image_at(const Image *image, uint64_t address, size_t n) {
        size_t n_left;
        bool executable;

        return image_place(image, address, n, &n_left, &executable);
}

/* The text at @address; NULL if it does not end within the file. */
static const char *image_text(const Image *image, uint64_t address) {
        size_t n_left;
        bool executable;
        const uint8_t *text = image_place(image, address, 1, &n_left, &executable);

        return text && memchr(text, 0, n_left) ? (const char *)text : NULL;
}

size_t image_code(const Image *image, uint64_t address, const uint8_t **ret_code) {
        size_t n_left;
        bool executable;
        const uint8_t *code = image_place(image, address, 1, &n_left, &executable);

        if (!code || !executable)
                return 0;
        *ret_code = code;
        return n_left;
}

/* ---- sections */

/* The next section after @section of @type (0: any), with its data. */
static Elf_Scn *image_next_section(const Image *image, Elf_Scn *section, uint32_t type, GElf_Shdr *ret_header,
                Elf_Data **ret_data) {
        while ((section = elf_nextscn(image->elf, section)) != NULL) {
                if (!gelf_getshdr(section, ret_header) || (type != 0 && ret_header->sh_type != type))
                        continue;
                *ret_data = ret_header->sh_type == SHT_NOBITS ? NULL : elf_getdata(section, NULL);
                if (*ret_data && (*ret_data)->d_buf)
                        return section;
        }
        return NULL;
}

const char *image_section(const Image *image, const char *name, size_t *ret_n) {
        Elf_Scn *section = NULL;
        GElf_Shdr header;
        Elf_Data *data;
        size_t names;

        if (elf_getshdrstrndx(image->elf, &names) < 0)
                return NULL;
        while ((section = image_next_section(image, section, 0, &header, &data)) != NULL) {
                const char *own = elf_strptr(image->elf, names, header.sh_name);

                if (!own || strcmp(own, name) != 0 || data->d_size == 0)
                        continue;
                *ret_n = data->d_size;
                return data->d_buf;
        }
        return NULL;
}

/* ---- symbols */

static int compare_symbols(const void *a, const void *b) {
        const ImageSymbol *x = a, *y = b;

        if (x->address != y->address)
                return x->address < y->address ? -1 : 1;
        return (x->size > y->size) - (x->size < y->size);
}

static int image_add_symbols(Image *image, const GElf_Shdr *header, Elf_Data *data) {
        const size_t n = header->sh_entsize ? data->d_size / header->sh_entsize : 0;
        ImageSymbol *symbols = calloc(n + 1, sizeof *symbols);

        if (!symbols)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                GElf_Sym symbol;
                const char *name;

                if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
                                symbol.st_shndx == SHN_UNDEF)
                        continue;
                name = elf_strptr(image->elf, header->sh_link, symbol.st_name);
                if (name && *name)
                        symbols[image->n_symbols++] = (ImageSymbol){ symbol.st_value, symbol.st_size, name };
        }
        qsort(symbols, image->n_symbols, sizeof *symbols, compare_symbols);
        image->symbols = symbols;
        return 0;
}

static int image_read_symbols(Image *image) {
        static const uint32_t tables[] = { SHT_SYMTAB, SHT_DYNSYM };

        for (size_t i = 0; i < N_ELEMENTS(tables); i++) {
                GElf_Shdr header;
                Elf_Data *data;

                if (!image_next_section(image, NULL, tables[i], &header, &data))
                        continue;
                image->has_symbols = tables[i] == SHT_SYMTAB;
                return error_trace(image_add_symbols(image, &header, data));
        }
        return 0;
}

const ImageSymbol *image_symbol(const Image *image, uint64_t address) {
        size_t low = 0, high = image->n_symbols;
        const ImageSymbol *symbol;

        while (low < high) {
                const size_t middle = low + (high - low) / 2;

                if (image->symbols[middle].address <= address)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (low == 0)
                return NULL;
        symbol = &image->symbols[low - 1];
        return address == symbol->address || address - symbol->address < symbol->size ? symbol : NULL;
}

bool image_find_export(const Image *image, const char *name, uint64_t *ret_address) {
        GElf_Shdr header;
        Elf_Data *data;
        GElf_Sym symbol;

        if (!image_next_section(image, NULL, SHT_DYNSYM, &header, &data))
                return false;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
                const char *own = elf_strptr(image->elf, header.sh_link, symbol.st_name);

                if (symbol.st_shndx == SHN_UNDEF || !own || strcmp(own, name) != 0)
                        continue;
                *ret_address = symbol.st_value;
                return true;
        }
        return false;
}

bool image_has_symbols(const Image *image) {
        return image->has_symbols;
}

/* ---- relocations */

static int compare_imports(const void *a, const void *b) {
        const ImageImport *x = a, *y = b;

        return (x->address > y->address) - (x->address < y->address);
}

const char *image_import(const Image *image, uint64_t address) {
        const ImageImport key = { .address = address };
        const ImageImport *found = NULL;

        if (image->n_imports > 0)
                found = bsearch(&key, image->imports, image->n_imports, sizeof *image->imports, compare_imports);
        return found ? found->name : NULL;
}

/* Writes what the loader would if the symbol is the file's own; notes the name in any case. */
static void image_bind(Image *image, const GElf_Rela *rela, Elf *elf, const GElf_Shdr *names, Elf_Data *symbols) {
        uint8_t *place;
        size_t n_left;
        bool executable;
        uint64_t value = rela->r_addend;
        GElf_Sym symbol;

        place = image_place(image, rela->r_offset, sizeof value, &n_left, &executable);
        if (!place)
                return;
        if (GELF_R_TYPE(rela->r_info) != R_X86_64_RELATIVE) {
                if (!symbols || !gelf_getsym(symbols, GELF_R_SYM(rela->r_info), &symbol))
                        return;
                image->imports[image->n_imports++] =
                                (ImageImport){ rela->r_offset, elf_strptr(elf, names->sh_link, symbol.st_name) };
                if (symbol.st_shndx == SHN_UNDEF)
                        return;
                value += symbol.st_value;
        }
        memcpy(place, &value, sizeof value);
}

static bool relocation_is_known(const GElf_Rela *rela) {
        switch (GELF_R_TYPE(rela->r_info)) {
        case R_X86_64_RELATIVE:
        case R_X86_64_64:
        case R_X86_64_GLOB_DAT:
        case R_X86_64_JUMP_SLOT:
                return true;
        default:
                return false;
        }
}

static int image_relocate_by(Image *image, Elf_Data *data, const GElf_Shdr *header) {
        const size_t n = header->sh_entsize ? data->d_size / header->sh_entsize : 0;
        Elf_Scn *link = elf_getscn(image->elf, header->sh_link);
        Elf_Data *symbols = link ? elf_getdata(link, NULL) : NULL;
        ImageImport *imports;
        GElf_Shdr names = {};
        GElf_Rela rela;

        if (link && !gelf_getshdr(link, &names))
                symbols = NULL;
        imports = reallocarray(image->imports, image->n_imports + n + 1, sizeof *imports);
        if (!imports)
                return error_origin(-ENOMEM);
        image->imports = imports;
        for (size_t i = 0; i < n; i++)
                if (gelf_getrela(data, i, &rela) && relocation_is_known(&rela))
                        image_bind(image, &rela, image->elf, &names, symbols);
        return 0;
}

/* Packed relative relocations (SHT_RELR) already have their addend in place. */
static int image_relocate(Image *image) {
        Elf_Scn *section = NULL;
        GElf_Shdr header;
        Elf_Data *data;
        int r;

        while ((section = image_next_section(image, section, SHT_RELA, &header, &data)) != NULL) {
                if (!(header.sh_flags & SHF_ALLOC))
                        continue;
                r = image_relocate_by(image, data, &header);
                if (r)
                        return error_trace(r);
        }
        if (image->n_imports > 0)
                qsort(image->imports, image->n_imports, sizeof *image->imports, compare_imports);
        return 0;
}

/* ---- life */

Elf *image_elf(const Image *image) {
        return image->elf;
}

/* Skips segments that reach beyond the file. */
static int image_read_segments(Image *image) {
        size_t n;

        if (elf_getphdrnum(image->elf, &n) < 0)
                return IMAGE_E_BROKEN;
        for (size_t i = 0; i < n && image->n_segments < IMAGE_SEGMENTS_MAX; i++) {
                GElf_Phdr segment;

                if (!gelf_getphdr(image->elf, i, &segment))
                        return IMAGE_E_BROKEN;
                if (segment.p_type != PT_LOAD)
                        continue;
                if (segment.p_offset > image->n_bytes || segment.p_filesz > image->n_bytes - segment.p_offset)
                        return IMAGE_E_BROKEN;
                image->segments[image->n_segments++] = (ImageSegment){ segment.p_vaddr, segment.p_filesz,
                        segment.p_offset, (segment.p_flags & PF_X) != 0 };
        }
        return image->n_segments > 0 ? 0 : IMAGE_E_BROKEN;
}

static int image_check(const Image *image) {
        GElf_Ehdr header;

        if (!image->elf || elf_kind(image->elf) != ELF_K_ELF || !gelf_getehdr(image->elf, &header))
                return IMAGE_E_NOT_ELF;
        if (header.e_machine != EM_X86_64 || gelf_getclass(image->elf) != ELFCLASS64)
                return IMAGE_E_MACHINE;
        if (header.e_type != ET_DYN)
                return IMAGE_E_NOT_SHARED;
        return header.e_shoff == 0 ? IMAGE_E_NO_SECTIONS : 0;
}

int image_new(int fd, Image **ret_image) {
        _cleanup_(image_freep) Image *image = NULL;
        struct stat status;
        void *bytes;
        int r;

        image = calloc(1, sizeof *image);
        if (!image)
                return error_origin(-ENOMEM);
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        bytes = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
                return error_origin(-errno);
        image->bytes = bytes;
        image->n_bytes = status.st_size;
        elf_version(EV_CURRENT);
        image->elf = elf_memory(bytes, image->n_bytes);
        r = image_check(image);
        if (r == 0)
                r = image_read_segments(image);
        if (r)
                return r;
        r = image_relocate(image);
        if (r == 0)
                r = image_read_symbols(image);
        if (r)
                return error_trace(r);
        *ret_image = take_pointer(image);
        return 0;
}

Image *image_free(Image *image) {
        if (!image)
                return NULL;
        if (image->elf)
                elf_end(image->elf);
        if (image->bytes)
                munmap(image->bytes, image->n_bytes);
        free(image->symbols);
        free(image->imports);
        free(image);
        return NULL;
}

/* A pointer in the file's memory is an address to which the loader has not added the base. */
static uint64_t address_of(const void *pointer) {
        return (uintptr_t)pointer;
}

/* The bytes of a descriptor in every revision: up to the area. */
#define DESCRIPTOR_LEAST (offsetof(struct bench_descriptor, options.area) + sizeof(const char *))

static bool name_is_valid(const char *name) {
        return name && *name && strlen(name) < RUNNER_NAME_MAX;
}

static bool descriptor_read(const Image *image, uint64_t address, ImageDescriptor *ret_descriptor) {
        const void *place = image_at(image, address, DESCRIPTOR_LEAST);
        const char *name, *file, *area;
        struct bench_descriptor own = {};

        if (!place)
                return false;
        memcpy(&own, place, DESCRIPTOR_LEAST);
        name = image_text(image, address_of(own.name));
        file = image_text(image, address_of(own.file));
        area = own.options.area ? image_text(image, address_of(own.options.area)) : NULL;
        if (own.size < DESCRIPTOR_LEAST || !name_is_valid(name) || !file || (own.options.area && !name_is_valid(area)))
                return false;
        *ret_descriptor = (ImageDescriptor){
                .file = file,
                .title = own.options.title ? image_text(image, address_of(own.options.title)) : NULL,
                .about = own.options.about ? image_text(image, address_of(own.options.about)) : NULL,
                .line = own.line,
                .body = address_of((void *)own.run),
        };
        snprintf(ret_descriptor->name, sizeof ret_descriptor->name, "%s", name);
        if (area)
                snprintf(ret_descriptor->area, sizeof ret_descriptor->area, "%s", area);
        else
                runner_plan_area_of_file(file, ret_descriptor->area);
        return true;
}

static int compare_places(const void *a, const void *b) {
        const ImageDescriptor *x = a, *y = b;
        const int order = strcmp(x->file, y->file);

        return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Reads the descriptors whose @n addresses are at @pointers, which may be unaligned. */
static int descriptors_read_rows(const Image *image, const uint8_t *pointers, size_t n, ImageDescriptors *descriptors) {
        descriptors->rows = calloc(n, sizeof *descriptors->rows);
        if (!descriptors->rows)
                return error_origin(-ENOMEM);
        for (; descriptors->n < n; descriptors->n++) {
                uint64_t address;

                memcpy(&address, pointers + descriptors->n * sizeof address, sizeof address);
                if (!descriptor_read(image, address, &descriptors->rows[descriptors->n]))
                        return IMAGE_DESCRIPTORS_E_BROKEN;
        }
        return 0;
}

int image_descriptors_read(const Image *image, ImageDescriptors *ret_descriptors) {
        struct bench_module tables;
        const uint8_t *pointers;
        const void *place;
        uint64_t address;
        size_t n_bytes;
        int r;

        *ret_descriptors = (ImageDescriptors){};
        if (!image_find_export(image, "benchd_module", &address))
                return IMAGE_DESCRIPTORS_E_NONE;
        place = image_at(image, address, sizeof tables);
        if (!place)
                return IMAGE_DESCRIPTORS_E_BROKEN;
        memcpy(&tables, place, sizeof tables);
        if (tables.abi != BENCH_ABI)
                return IMAGE_DESCRIPTORS_E_BROKEN;
        ret_descriptors->compiler = image_text(image, address_of(tables.compiler));
        ret_descriptors->optimized = tables.optimized;
        n_bytes = address_of(tables.descriptors_end) - address_of(tables.descriptors);
        if (n_bytes == 0)
                return IMAGE_DESCRIPTORS_E_NONE;
        if (n_bytes % sizeof(uint64_t) || n_bytes / sizeof(uint64_t) > LISTING_ENTRIES_MAX)
                return IMAGE_DESCRIPTORS_E_BROKEN;
        pointers = image_at(image, address_of(tables.descriptors), n_bytes);
        if (!pointers)
                return IMAGE_DESCRIPTORS_E_BROKEN;
        r = descriptors_read_rows(image, pointers, n_bytes / sizeof(uint64_t), ret_descriptors);
        if (r)
                return error_trace(r);
        qsort(ret_descriptors->rows, ret_descriptors->n, sizeof *ret_descriptors->rows, compare_places);
        return 0;
}

void image_descriptors_clear(ImageDescriptors *descriptors) {
        free(descriptors->rows);
        *descriptors = (ImageDescriptors){};
}
