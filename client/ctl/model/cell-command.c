/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Cells of whole commands, by the counts of exec.so: user and system time, memory, of one command or of both sides of a pair.
 */

#include <jansson.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/times.h"

#define MEMORY_DIGITS 3

void cell_command(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        cell_print_name(row, out);
}

void cell_memory(const char *path, const json_t *row, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double bytes;

        if (json_number_at(row, path, &bytes))
                fputs(amount_bytes(bytes, MEMORY_DIGITS, text), out);
}

/* Prints the cell of each side of @pair; one alone if the other has none. */
static void print_both(CellFunction *fill, const char *path, const json_t *pair, const Times *times, FILE *out) {
        const json_t *old = json_at(pair, "old"), *new = json_at(pair, "new");

        fill(path, old, times, NULL, out);
        if (json_at(old, path) && json_at(new, path))
                fputs(" → ", out);
        fill(path, new, times, NULL, out);
}

void cell_both_times(const char *path, const json_t *pair, const Times *times, CellFootnotes *footnotes, FILE *out) {
        print_both(cell_time, path, pair, times, out);
}

void cell_both_memories(const char *path, const json_t *pair, const Times *times, CellFootnotes *footnotes, FILE *out) {
        print_both(cell_memory, path, pair, times, out);
}
