/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A module's file as data: its memory as the loader would fill it at address 0, its symbols, and the names of its imports. Nothing in
 * it is executed or trusted: each access is checked against the file's bounds.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/runner-plan.h"
#include "util/cleanup.h"

typedef struct Elf Elf;
typedef struct Image Image;

enum {
        _IMAGE_E_SUCCESS,

        IMAGE_E_NOT_ELF,     /* not an ELF file */
        IMAGE_E_MACHINE,     /* ... for another architecture */
        IMAGE_E_NOT_SHARED,  /* ... that is not a shared object */
        IMAGE_E_BROKEN,      /* its headers contradict its length */
        IMAGE_E_NO_SECTIONS, /* no section headers, so symbols and relocations cannot be found */
};

/* A function of the file's symbol table, or of the dynamic one if it has no other. */
typedef struct ImageSymbol {
        uint64_t address;
        uint64_t size; /* 0: not known */
        const char *name;
} ImageSymbol;

/* Maps the file @fd of at least one byte. Returns 0, E_*, or a negative errno. */
int image_new(int fd, Image **ret_image);
Image *image_free(Image *image);
DEFINE_CLEANUP(Image *, image_free)

/* The file as a libelf handle, owned by the image. */
Elf *image_elf(const Image *image);

/* The @n bytes at @address; NULL if the file does not have them. They live as long as the image. */
const void *image_at(const Image *image, uint64_t address, size_t n);

/* Returns the number of bytes of code from @address on; 0: not executable. */
size_t image_code(const Image *image, uint64_t address, const uint8_t **ret_code);

/* The section @name; NULL if there is none, or it is empty. */
const char *image_section(const Image *image, const char *name, size_t *ret_n);

/* Finds the address of the exported symbol @name; false if there is none. */
bool image_find_export(const Image *image, const char *name, uint64_t *ret_address);

/* The function that @address lies in; NULL if no symbol has it. */
const ImageSymbol *image_symbol(const Image *image, uint64_t address);

/* The name that the loader binds the pointer at @address to; NULL: none. */
const char *image_import(const Image *image, uint64_t address);

/* True if the file has symbols in addition to the dynamic ones. */
bool image_has_symbols(const Image *image);

/*
 * The benchmarks that a module declares, read from the tables of bench.h in its file: names, places in the source, and the address
 * of each body. A stripped module has them too.
 */

enum {
        _IMAGE_DESCRIPTORS_E_SUCCESS,

        IMAGE_DESCRIPTORS_E_NONE,   /* no benchmark is compiled in, or their table is not exported */
        IMAGE_DESCRIPTORS_E_BROKEN, /* the exported table is invalid */
};

typedef struct ImageDescriptor {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
        const char *file;  /* of its source, as given to the compiler; the texts live as long as the image */
        const char *title; /* NULL: none */
        const char *about; /* NULL: it has none */
        uint32_t line;
        uint64_t body; /* address of the function that the runner calls */
} ImageDescriptor;

typedef struct ImageDescriptors {
        const char *compiler; /* lives as long as the image */
        uint32_t optimized;
        ImageDescriptor *rows; /* by file and line, as in a listing */
        size_t n;
} ImageDescriptors;

/*
 * Reads the benchmarks of @image into @ret_descriptors, which the caller clears in any case. Returns 0, E_*, or a
 * negative errno.
 */
int image_descriptors_read(const Image *image, ImageDescriptors *ret_descriptors);
void image_descriptors_clear(ImageDescriptors *descriptors);
