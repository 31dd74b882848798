/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The options of exec as typed; ask/exec/exec-plan.h reads them.
 */

#include <stdbool.h>

#include "ctl/model/settings-words.h"

/* Scripts beside a command. */
typedef enum ExecHook {
        EXEC_SETUP,    /* before the first run of a command */
        EXEC_PREPARE,  /* before each run */
        EXEC_CONCLUDE, /* after each run */
        EXEC_CLEANUP,  /* after the last run of a command */

        _EXEC_HOOKS_N,
} ExecHook;

typedef enum ExecExport {
        EXEC_EXPORT_JSON, /* of hyperfine's fields */
        EXEC_EXPORT_CSV,
        EXEC_EXPORT_MARKDOWN,

        _EXEC_EXPORTS_N,
} ExecExport;

/* Texts are NULL if not given. */
typedef struct ExecSettings {
        const char *warmup; /* numbers of runs */
        const char *runs;
        const char *min_runs;
        const char *max_runs;
        const char *precision;
        const char *budget;
        SettingsWords hooks[_EXEC_HOOKS_N]; /* each empty, one for all commands, or one for each */
        SettingsWords scans;                /* "VAR,MIN,MAX" */
        const char *step;
        SettingsWords lists; /* "VAR,VALUE,..." */
        SettingsWords names;
        const char *reference;
        const char *reference_name;
        const char *shell;
        const char *ignore; /* empty: all codes */
        const char *input;
        SettingsWords outputs; /* as hooks */
        const char *cold;      /* empty: files */
        const char *cpus;
        const char *style;
        const char *exports[_EXEC_EXPORTS_N]; /* files */
        bool no_shell;
        bool show_output;
} ExecSettings;
