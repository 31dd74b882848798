/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A module's file as data: its memory as the loader would fill it at address 0, its symbols, and the names of its imports. Nothing of
 * it is executed, and nothing in it is believed: each access is checked against the file's bounds.
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

        IMAGE_E_NOT_ELF,     /* no ELF file */
        IMAGE_E_MACHINE,     /* ... for another architecture */
        IMAGE_E_NOT_SHARED,  /* ... that is no shared object */
        IMAGE_E_BROKEN,      /* its headers contradict its length */
        IMAGE_E_NO_SECTIONS, /* it has no section headers, by which symbols and relocations are found */
};

/* A function of the file's symbol table, or of the dynamic one where it has no other. */
typedef struct ImageSymbol {
        uint64_t address;
        uint64_t size; /* 0: not known */
        const char *name;
} ImageSymbol;

/* Maps the file in @fd, of at least a byte. Returns 0, E_*, or a negative errno. */
int image_new(int fd, Image **ret_image);
Image *image_free(Image *image);
DEFINE_CLEANUP(Image *, image_free)

/* The file for libelf; the image keeps it. */
Elf *image_elf(const Image *image);

/* The @n bytes at @address as far as the file has them; NULL where it does not. They live as long as the image. */
const void *image_at(const Image *image, uint64_t address, size_t n);

/* The bytes of code from @address on; 0: it lies in nothing executable. */
size_t image_code(const Image *image, uint64_t address, const uint8_t **ret_code);

/* The section @name; NULL where there is none, or it is empty. */
const char *image_section(const Image *image, const char *name, size_t *ret_n);

/* The address of the exported symbol @name; false where it exports none. */
bool image_find_export(const Image *image, const char *name, uint64_t *ret_address);

/* The function that holds @address; NULL where no symbol tells. */
const ImageSymbol *image_symbol(const Image *image, uint64_t address);

/* The name that the loader binds the pointer at @address to; NULL: it binds none. */
const char *image_import(const Image *image, uint64_t address);

/* True if the file has symbols beside the dynamic ones. */
bool image_has_symbols(const Image *image);

/*
 * The benchmarks that a module declares, read from its file by the tables of bench.h: names, places in the source, and the address
 * of each body. A stripped module has them as well.
 */

enum {
        _IMAGE_DESCRIPTORS_E_SUCCESS,

        IMAGE_DESCRIPTORS_E_NONE,   /* no benchmark was compiled into it, or it does not export their table */
        IMAGE_DESCRIPTORS_E_BROKEN, /* what it exports is no such table */
};

typedef struct ImageDescriptor {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
        const char *file;  /* of its source, as the compiler was given it; the texts live as long as the image */
        const char *title; /* NULL: it has none of its own */
        const char *about; /* NULL: it has none */
        uint32_t line;
        uint64_t body; /* address of the function that the runner calls */
} ImageDescriptor;

typedef struct ImageDescriptors {
        const char *compiler; /* lives as long as the image */
        uint32_t optimized;
        ImageDescriptor *rows; /* by file and line, as a listing has them */
        size_t n;
} ImageDescriptors;

/* Reads those of @image, which are to be cleared in any case. Returns 0, E_*, or a negative errno. */
int image_descriptors_read(const Image *image, ImageDescriptors *ret_descriptors);
void image_descriptors_clear(ImageDescriptors *descriptors);
