/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Several links of one module in one file. The first is the file itself, up to its own end; those behind it have the same functions in
 * another order. Nothing that reads ELF looks behind the end of an object, so all who know of no links load, list and inspect the first.
 * A table of the links and a footer end the file. Untrusted bytes: everything is checked against the file's size.
 */

#include <stddef.h>
#include <stdint.h>

#define MODULE_LINKS_MAX 64u

enum {
        _MODULE_LINKS_E_SUCCESS,

        MODULE_LINKS_E_BROKEN, /* the footer is that of a file of links, and the table does not fit the file */
};

/* The part of a file that is one link. */
typedef struct ModuleLink {
        uint64_t offset;
        uint64_t n_bytes;
        uint32_t n_links; /* of the file; 1: it is an ordinary module */
} ModuleLink;

/* Finds link @number, modulo their number, in the file at @fd. Returns 0, E_BROKEN, or a negative errno. */
int module_links_find(int fd, uint32_t number, ModuleLink *ret_link);

/* Copies @link of the file at @fd into a new memfd. Returns 0 or a negative errno. */
int module_links_extract(int fd, const ModuleLink *link, int *ret_fd);

/* A file of links that is being written. */
typedef struct ModuleLinksDraft {
        uint64_t rows[MODULE_LINKS_MAX][2]; /* offset and bytes */
        uint32_t n;
} ModuleLinksDraft;

/* Adds all of the file at @from to the end of the file at @fd, whose first link is there. Returns 0 or a negative errno. */
int module_links_add(ModuleLinksDraft *draft, int fd, int from);

/* Ends the file at @fd. Returns 0 or a negative errno. */
int module_links_finish(const ModuleLinksDraft *draft, int fd);
