/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The inspection block: the results of benchd-inspect on a module's file, in shared memory that the launcher made and sized.
 *
 * The file comes from the submitter and may have taken over its reader: as with a sample block, everything here is copied once when
 * the process is dead, and then checked. Addresses are those of the linked module.
 */

#include "ops/block.h"

#define INSPECTION_ENTRIES_MAX      LISTING_ENTRIES_MAX
#define INSPECTION_FUNCTIONS_MAX    16u
#define INSPECTION_INSTRUCTIONS_MAX 2048u
#define INSPECTION_SOURCES_MAX      16u
#define INSPECTION_TEXT_MAX         131072u /* bytes of source, with the end */
#define INSPECTION_SYMBOL_MAX       128u
#define INSPECTION_CALLED_MAX       64u
#define INSPECTION_FLAGS_MAX        1024u
#define INSPECTION_PATH_MAX         256u
#define INSPECTION_BUILD_ID_MAX     65u /* digits, with the end */
#define INSPECTION_CODE_MAX         15u /* bytes of an instruction */
#define INSPECTION_WORDS_MAX        96u /* of an instruction's text */

#define INSPECTION_LINE_BYTES 64u /* of a cache line */

enum {
        _INSPECTION_BLOCK_E_SUCCESS,

        INSPECTION_BLOCK_E_INVALID, /* not what benchd-inspect writes */
};

/* A fact that the file may not have. */
typedef enum InspectionFact {
        INSPECTION_UNKNOWN,
        INSPECTION_NO,
        INSPECTION_YES,
        _INSPECTION_FACT_N,
} InspectionFact;

/* Why the path of a source is not known. */
typedef enum InspectionNoPath {
        INSPECTION_NO_PATH_NONE,       /* known */
        INSPECTION_NO_PATH_COMPILED,   /* compiled without debug information */
        INSPECTION_NO_PATH_STRIPPED,   /* debug information stripped */
        INSPECTION_NO_PATH_LINKED,     /* debug information in another file */
        INSPECTION_NO_PATH_COMPRESSED, /* in a way that libelf does not know */
        INSPECTION_NO_PATH_NAMED,      /* debug information names no file for the code */
        _INSPECTION_NO_PATH_N,
} InspectionNoPath;

/* The kinds of calls that are mostly mistakes in a timed loop, and the kind that needs CPUs. */
typedef enum InspectionCallKind {
        INSPECTION_CALL_OUTPUT,
        INSPECTION_CALL_INPUT,
        INSPECTION_CALL_FILE,
        INSPECTION_CALL_SLEEP,
        INSPECTION_CALL_SYNC,     /* has no finding: it is what is measured */
        INSPECTION_CALL_PARALLEL, /* runs one thread per CPU; its finding depends on the CPUs */
        _INSPECTION_CALL_N,
} InspectionCallKind;

/* The first call of its kind. */
typedef struct InspectionCall {
        char function[INSPECTION_CALLED_MAX]; /* empty: there is none */
        char through[INSPECTION_CALLED_MAX];  /* the module's function that makes the call; empty: the loop itself */
} InspectionCall;

typedef struct InspectionLoop {
        char function[INSPECTION_SYMBOL_MAX]; /* empty: without a symbol */
        uint64_t start;
        uint64_t end;            /* behind its last instruction */
        uint32_t n_instructions; /* 0: no loop was found, and the other fields are invalid */
        uint32_t empty;          /* InspectionFact: it does nothing but count */
        uint32_t counting;       /* 1: an inner loop does nothing but count */
        uint32_t counting_line;  /* ... of the benchmark's file; 0: not known */
} InspectionLoop;

typedef struct InspectionEntry {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
        char title[LISTING_TEXT_MAX];
        char about[LISTING_TEXT_MAX];
        char file[INSPECTION_PATH_MAX];
        uint32_t line;
        uint32_t padding;
        InspectionLoop loop;
        InspectionCall calls[_INSPECTION_CALL_N]; /* in the loop's timed part */
} InspectionEntry;

enum {
        INSPECTION_IN_LOOP = 1u << 0,
        INSPECTION_TIMED = 1u << 1,      /* in the loop and not in a pause */
        INSPECTION_HAS_TARGET = 1u << 2, /* target_address is valid */
        INSPECTION_HAS_SOURCE = 1u << 3, /* source and line are valid */
        _INSPECTION_FLAGS = (1u << 4) - 1,
};

typedef struct InspectionInstruction {
        uint64_t address;
        uint64_t target_address;
        uint32_t function; /* index of the function */
        uint32_t source;   /* index of the source */
        uint32_t line;
        uint32_t flags; /* INSPECTION_* */
        uint32_t n_bytes;
        uint8_t bytes[INSPECTION_CODE_MAX + 1];
        char words[INSPECTION_WORDS_MAX];
        char target[INSPECTION_SYMBOL_MAX]; /* empty: not known */
} InspectionInstruction;

typedef struct InspectionFunction {
        char name[INSPECTION_SYMBOL_MAX]; /* empty: without a symbol */
        uint64_t address;
} InspectionFunction;

typedef struct InspectionSource {
        char name[INSPECTION_PATH_MAX];
        char path[INSPECTION_PATH_MAX]; /* empty: not known */
} InspectionSource;

typedef struct InspectionBlock {
        BlockHead head;
        char build_id[INSPECTION_BUILD_ID_MAX]; /* empty: there is none */
        char compiler[LISTING_TEXT_MAX];
        char flags[INSPECTION_FLAGS_MAX]; /* empty: not known */
        uint32_t optimized;               /* InspectionFact */
        uint32_t stripped;                /* InspectionFact */
        uint32_t debug_info;              /* InspectionFact */
        uint32_t n_entries;

        /* for the one benchmark that the plan names */
        uint32_t n_functions;
        uint32_t n_instructions;
        uint32_t n_sources;
        uint32_t n_cut;      /* instructions without room */
        uint32_t first_line; /* of text; 0: there is none */
        uint32_t text_cut;   /* 1: more lines follow */
        uint32_t no_path;    /* InspectionNoPath: of the first source */
        uint32_t padding;

        InspectionEntry entries[INSPECTION_ENTRIES_MAX]; /* followed, for that benchmark, by: */
        InspectionFunction functions[INSPECTION_FUNCTIONS_MAX];
        InspectionInstruction instructions[INSPECTION_INSTRUCTIONS_MAX]; /* grouped by function */
        InspectionSource sources[INSPECTION_SOURCES_MAX];
        char text[INSPECTION_TEXT_MAX]; /* of the first source */
} InspectionBlock;

/* Returns the entry of benchmark @area/@name in @block, which is checked, or NULL. */
const InspectionEntry *inspection_block_find(const InspectionBlock *block, const char *area, const char *name);

/* Checks a copy of an untrusted block, so that it can be read without further care. Returns 0 or E_INVALID. */
int inspection_block_check(const InspectionBlock *block);
