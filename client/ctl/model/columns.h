/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Columns of all tables, a row each: its name, its title, the function that fills its cells, and the path of its value. Text, Markdown,
 * pages, CSV and --columns walk them. Each method has its own columns, in the words of those who made it. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/model/cell.h"

#define COLUMNS_MAX        48u
#define COLUMN_RANK_DETAIL 8u /* from which a column is a detail */

typedef enum ColumnFlag {
        COLUMN_LEFT = 1u << 0,     /* aligned; right otherwise */
        COLUMN_HEAD = 1u << 1,     /* is what the table is about */
        COLUMN_DIM = 1u << 2,      /* ... is of less weight than the others */
        COLUMN_DASH = 1u << 3,     /* has a dash in place of an empty cell */
        COLUMN_OPTIONAL = 1u << 4, /* is left out where all its cells are empty */
        COLUMN_PROSE = 1u << 5,    /* of the last column: a long cell goes on in the next line */
        COLUMN_WORD = 1u << 6,     /* a page colours the cell by the word that is its value */
        COLUMN_DETAILS = 1u << 7,  /* is shown in --format=details only, and where --columns names it */
        COLUMN_EACH = 1u
                      << 8, /* stands for one for each member of the objects that are its values; @csv begins their names */
} ColumnFlag;

/* The object that holds the value of a field of CSV. */
typedef enum ColumnOf {
        COLUMN_OF_ROW,
        COLUMN_OF_WHOLE, /* the row that the row is within; else the answer */
        COLUMN_OF_ANSWER,
} ColumnOf;

typedef struct Column {
        const char *csv;   /* its name in CSV; NULL: it is not there */
        const char *path;  /* of its value, by which rows are sorted too */
        const char *name;  /* that --columns knows; several columns may go by one */
        const char *title; /* NULL: it is in CSV alone */
        CellFill fill;
        unsigned flags; /* ColumnFlag */
        unsigned rank;  /* the highest leaves first where a table is too wide, and of equals the last; 0: stays */
        unsigned gap;   /* spaces before it; 0: two */
        unsigned least; /* columns of the terminal that it keeps where it has to give way; 0: all */
        const char *csv_after; /* the field of CSV that it follows; NULL: that of the column before */
        ColumnOf of;
        const Times *times; /* as which its times are told; NULL: as measured. Not in the table: columns_tell() */
        const char *about; /* for the manual, "words" and `names` in italics; NULL: that of the column before is of this one too */
} Column;

typedef enum ColumnTableKind {
        TABLE_RUN,
        TABLE_COMPARISON,
        TABLE_FLEET,
        TABLE_FLEET_COMPARISON,
        TABLE_SPREAD, /* the second one of --format=details: the spread of the times, and the figures that older harnesses report */
        TABLE_LISTING,
        TABLE_HISTORY,
        TABLE_TREND,
        TABLE_SIDE_BY_SIDE,
        _TABLE_KIND_N,
} ColumnTableKind;

typedef struct ColumnTable {
        const Column *columns; /* those with a title stand in their order; the first of them names the row */
        size_t n;
        unsigned rank_told; /* columns up to this rank for which a view has no room are named below the table */
} ColumnTable;

const ColumnTable *columns_table(ColumnTableKind kind);

/* The kind of the table of @result, of one machine or of several. */
ColumnTableKind columns_kind(const json_t *result);

/* The column of the number that a table puts first. */
const Column *columns_head(ColumnTableKind kind);

/* The path, in a benchmark of @result, of the number that the table of its method puts first. */
const char *columns_headline(const json_t *result);

/* The first column called @name, of @n bytes; NULL: --columns knows none. */
const Column *columns_find(ColumnTableKind kind, const char *name, size_t n);

/* Prints the names that --columns knows: "time, interval, ..." */
void columns_print_names(ColumnTableKind kind, FILE *out);

/* Columns that were chosen. */
typedef struct Columns {
        Column columns[COLUMNS_MAX];
        size_t n;
} Columns;

/* Chooses all columns of the table of @kind. */
void columns_choose_all(ColumnTableKind kind, Columns *ret_columns);

/*
 * Chooses those of a table of @result: the ones that @names, with commas between, has, or where that is NULL those of its method, with
 * @details all of them.
 */
void columns_choose(const json_t *result, const char *names, bool details, Columns *ret_columns);

/* Chooses those of the method of @result, a run or a comparison, for a benchmark. */
void columns_choose_benchmarks(const json_t *result, bool details, Columns *ret_columns);

/* Lets them tell times as @times, borrowed, does. */
void columns_tell(Columns *columns, const Times *times);

/* Removes those that @fill fills. */
void columns_leave_out(Columns *columns, CellFill fill);

/* The text of @row in @column, without its warnings' figures; NULL if memory ran out. It is the caller's. */
char *column_text(const Column *column, const json_t *row);

/* The number behind that text, to sort by; false without one. */
bool column_number(const Column *column, const json_t *row, double *ret_number);
