/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One file of a request, a module, a library or an input: its name, and its bytes in a sealed memfd.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct ModuleFile {
        char *name;   /* of a library: by which other files need it; of the module: its path as it was given */
        char *soname; /* NULL: it has none */
        char *path;   /* at which it was read; NULL: an input */
        int fd;       /* -1: none */
        size_t size;
        dev_t device; /* of the file that was read */
        ino_t inode;
        bool needed;    /* by its name */
        size_t preload; /* its place among those that are preloaded, from 1; 0: it is not */
} ModuleFile;

/*
 * Reads the file at @path, or the pipe to its end, and names it after that file. Returns 0, BENCHD_E_EMPTY, BENCHD_E_TOO_LARGE, or a negative
 * errno.
 */
int module_file_read(const char *path, ModuleFile *ret_file);

/* The same of a file with any contents, which is no pipe, has no SONAME and is not known again by its inode. */
int module_file_read_input(const char *path, ModuleFile *ret_file);
void module_file_clear(ModuleFile *file);

/* Renames @file to @name, cut to the length that a name may have. Returns 0 or a negative errno. */
int module_file_rename(ModuleFile *file, const char *name);

/* Names @file after the @path at which it was read; of a long one its end. Returns 0 or a negative errno. */
int module_file_name_after(ModuleFile *file, const char *path);

/* The bytes of a file, mapped for reading. */
typedef struct ModuleMapping {
        void *data;
        size_t n_data; /* 0: nothing is mapped */
} ModuleMapping;

/* Maps @file. Returns 0 or a negative errno. */
int module_file_map(const ModuleFile *file, ModuleMapping *ret_mapping);
void module_mapping_clear(ModuleMapping *mapping);
