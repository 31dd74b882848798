/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/app/complete.h"

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/app/command-options.h"
#include "ctl/app/operands.h"
#include "ctl/app/verbs.h"
#include "ctl/ask/built-in.h"
#include "ctl/base/json-path.h"
#include "ctl/base/printable.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/show.h"
#include "lib/event.h"
#include "util/cleanup.h"

#define COMPLETE_PATIENCE_S   1
#define COMPLETE_WITH_MAX     16u
#define COMPLETE_AREAS_MAX    64u
#define COMPLETE_OPERANDS_MAX 64u
#define COMPLETE_JOBS         50u
#define COMPLETE_PREFIX_MAX   512

DEFINE_CLEANUP(benchd_client *, benchd_client_free)
DEFINE_CLEANUP(benchd_config *, benchd_config_free)
DEFINE_CLEANUP(benchd_event *, benchd_event_free)
DEFINE_CLEANUP(benchd_module *, benchd_module_free)
DEFINE_CLEANUP(benchd_query *, benchd_query_free)

/* The line before the word that is completed. */
typedef struct CommandLine {
        const Verb *verb;   /* NULL: not named yet */
        bool unknown;       /* ... or not one */
        BuiltIn *built_in;  /* NULL: there is none */
        const char *module; /* the first operand that is not an area */
        const char *areas[COMPLETE_AREAS_MAX];
        size_t n_areas;
        const char *operands[COMPLETE_OPERANDS_MAX];
        size_t n_operands;
        bool after_dashes;
        const char *socket;
        const char *host; /* another machine, which is not asked: that can take longer than a reader waits */
        const char *with[COMPLETE_WITH_MAX];
        size_t n_with;
        const char *preload[COMPLETE_WITH_MAX];
        size_t n_preload;
        const CommandOption *option; /* whose value comes next; NULL: none */
        char named[64];              /* an option that the grammar of the operands names; empty: none */
} CommandLine;

/* The incomplete word, whose @prefix stays unchanged. */
typedef struct Begun {
        const CommandLine *line;
        const char *word;
        char prefix[COMPLETE_PREFIX_MAX];
        void (*offered)(struct Begun *begun); /* what was offered last */
        FILE *out;
} Begun;

/* ---- candidates */

static void begun_offer(const Begun *begun, const char *word, const char *end, const char *description) {
        if (strncmp(word, begun->word, strlen(begun->word)) != 0)
                return;
        fprintf(begun->out, "%s%s%s", begun->prefix, word, end);
        if (description && *description)
                fprintf(begun->out, "\t%s", description);
        fputc('\n', begun->out);
}

/* Offers the words of @words, which are joined by |. */
static void begun_offer_words(const Begun *begun, const char *words) {
        while (*words) {
                const size_t n = strcspn(words, "|");
                char word[64];

                snprintf(word, sizeof word, "%.*s", (int)n, words);
                begun_offer(begun, word, "", NULL);
                words += n + (words[n] == '|');
        }
}

/* Moves the first @n bytes of the word to the prefix. */
static bool begun_advance(Begun *begun, size_t n) {
        const size_t n_prefix = strlen(begun->prefix);

        if (n_prefix + n >= sizeof begun->prefix)
                return false;
        memcpy(begun->prefix + n_prefix, begun->word, n);
        begun->prefix[n_prefix + n] = '\0';
        begun->word += n;
        return true;
}

/* ---- what the daemon knows */

/* Fails for the daemon of another machine. */
static int daemon_connect(const CommandLine *line, benchd_client **ret_client) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        int r;

        if (line->host && *line->host && (!line->verb || line->verb->traits & VERB_DAEMON))
                return BENCHD_E_NO_DAEMON;
        r = benchd_config_new(&config);
        if (r == 0 && line->socket)
                r = benchd_config_set_socket(config, line->socket);
        return r ? r : benchd_client_new(config, ret_client);
}

/* The JSON of the answer to request @id, printable; NULL for an error. */
static json_t *daemon_answer(benchd_client *client, uint64_t id) {
        _cleanup_(benchd_event_freep) benchd_event *event = NULL;
        json_t *printable = NULL;

        if (benchd_client_wait_event(client, &event) != 0 || benchd_event_request(event) != id || !event_json(event))
                return NULL;
        return printable_json(event_json(event), &printable) == 0 ? printable : NULL;
}

/* True if the line names no area, or @area too. */
static bool line_has_area(const CommandLine *line, const char *area) {
        for (size_t i = 0; i < line->n_areas; i++)
                if (strcmp(line->areas[i], area) == 0)
                        return true;
        return line->n_areas == 0;
}

/* Offers the benchmarks of the module at @path, or of the job "@JOB"; for the built-in module, only the areas that the line names. */
static void offer_benchmarks(const Begun *begun, const char *path) {
        const CommandLine *line = begun->line;
        const bool built_in = line->built_in && path == built_in_path(line->built_in), job = path && *path == '@';
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        _cleanup_(json_decrefp) json_t *listing = NULL;
        const json_t *benchmarks;
        uint64_t id;
        const json_t *benchmark;

        if (!path || benchd_module_new(&module) != 0)
                return;
        for (size_t i = 0; i < line->n_with; i++)
                if (benchd_module_add_library(module, line->with[i]) != 0)
                        return;
        for (size_t i = 0; i < line->n_preload; i++)
                if (benchd_module_preload(module, line->preload[i]) != 0)
                        return;
        if ((job ? benchd_module_recall(module, path + 1) : benchd_module_open(module, path)) != 0 ||
                        daemon_connect(line, &client) != 0 ||
                        (job ? benchd_client_inspect(client, module, NULL, 0, &id)
                             : benchd_client_list(client, module, NULL, &id)) != 0)
                return;
        listing = daemon_answer(client, id);
        benchmarks = result_rows(listing);
        json_each(i, benchmark, benchmarks) {
                const char *area = json_text_at(benchmark, "area"), *name = json_text_at(benchmark, "name");
                char word[256];

                if (!area || !name || (built_in && !line_has_area(line, area)))
                        continue;
                snprintf(word, sizeof word, "%s/%s", area, name);
                begun_offer(begun, word, "", json_text_at(benchmark, "about"));
        }
}

static void offer_jobs(const Begun *begun) {
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;
        _cleanup_(benchd_query_freep) benchd_query *query = NULL;
        _cleanup_(json_decrefp) json_t *history = NULL;
        const json_t *jobs;
        uint64_t id;
        const json_t *job;

        if (daemon_connect(begun->line, &client) != 0 || benchd_query_new(&query) != 0 ||
                        benchd_query_set_limit(query, COMPLETE_JOBS) != 0 ||
                        benchd_client_history(client, query, &id) != 0)
                return;
        history = daemon_answer(client, id);
        jobs = json_at(history, "entries");
        json_each(i, job, jobs) {
                const char *run_id = json_text_at(job, "run_id");
                char description[256];

                snprintf(description, sizeof description, "%s, %s", json_text_or(job, "module_name", "?"),
                                json_text_or(job, "state", "?"));
                if (run_id)
                        begun_offer(begun, run_id, "", description);
        }
}

/* ---- candidates by place */

static void offer_files(Begun *begun) {
        fputs(":files\n", begun->out);
}

static void offer_formats(Begun *begun) {
        const ShowFormat *format;

        for (size_t i = 0; (format = show_format_at(i)); i++)
                if (show_has(format, begun->line->verb ? begun->line->verb->answers : SHOW_ANY))
                        begun_offer(begun, format->name, "", format->help);
}

/* The module of the line is the built-in one where it names no other. */
static void offer_module_benchmarks(Begun *begun) {
        const CommandLine *line = begun->line;

        if (*begun->word == '@')
                return;
        if (line->module || (line->verb && line->verb->traits & VERB_COMPARE))
                offer_benchmarks(begun, line->module);
        else if (line->built_in)
                offer_benchmarks(begun, built_in_path(line->built_in));
}

/* Areas, and after the name of one its benchmarks, which need no "--" there. */
static void offer_built_in(Begun *begun) {
        const BuiltIn *built_in = begun->line->built_in;
        const char *area;

        for (size_t i = 0; built_in && (area = built_in_area_at(built_in, i)); i++)
                begun_offer(begun, area, "", NULL);
        if (built_in && strchr(begun->word, '/') && built_in_has(built_in, begun->word))
                offer_benchmarks(begun, built_in_path(built_in));
}

static void offer_options(const Begun *begun) {
        const CommandOption *option;

        for (size_t i = 0; (option = command_option_at(i)); i++) {
                char word[64];

                if (!command_option_is_of(option, begun->line->verb))
                        continue;
                snprintf(word, sizeof word, "--%s", option->name);
                begun_offer(begun, word,
                                command_option_words(option) == 1 && !command_option_may_lack_value(option) ? "=" : "",
                                option->help);
        }
}

static void offer_verbs(Begun *begun) {
        const Verb *verb;

        for (size_t i = 0; (verb = verb_at(i)); i++)
                begun_offer(begun, verb->name, "", verb->about);
}

/* A command of a shell, or its arguments. */
static void offer_commands(Begun *begun) {
        fputs(":commands\n", begun->out);
        offer_files(begun);
}

/* COMMAND is one of benchctl's, or one to be measured. */
static void offer_command(Begun *begun) {
        if (begun->line->verb->traits & VERB_EXEC)
                offer_commands(begun);
        else
                offer_verbs(begun);
}

static void offer_modules(Begun *begun) {
        if (*begun->word != '@' || !strstr(begun->line->verb->operands, "@JOB"))
                fputs(":modules\n", begun->out);
}

static void offer_job_module(Begun *begun) {
        if (*begun->word == '@' && begun_advance(begun, 1))
                offer_jobs(begun);
}

static void offer_job(Begun *begun) {
        if (!strpbrk(begun->word, "./"))
                offer_jobs(begun);
}

static void offer_path(Begun *begun) {
        if (strpbrk(begun->word, "./"))
                offer_files(begun);
}

/* A side of a comparison: FILE, FILE#AREA/BENCHMARK or @JOB. */
static void offer_side(Begun *begun) {
        const char *hash = *begun->word != '@' ? strchr(begun->word, '#') : NULL;

        if (hash) {
                _cleanup_(freep) char *path = strndup(begun->word, hash - begun->word);

                if (path && begun_advance(begun, hash + 1 - begun->word))
                        offer_benchmarks(begun, path);
                return;
        }
        if (*begun->word == '@')
                offer_job_module(begun);
        else
                offer_modules(begun);
}

static void offer_filter(Begun *begun) {
        if (*begun->word != '!' || begun_advance(begun, 1))
                offer_module_benchmarks(begun);
}

static void offer_names(Begun *begun) {
        begun_offer_words(begun, begun->line->verb->values);
}

/* The name of an operand or of an option's value in the help text. Words for any other name cannot be foreseen. */
typedef struct Place {
        const char *name;
        void (*offer)(Begun *begun);
} Place;

static const Place operand_places[] = {
        { "A", offer_path },
        { "AREA", offer_built_in },
        { "B", offer_path },
        { "BENCHMARK", offer_module_benchmarks },
        { "COMMAND", offer_command },
        { "DIRECTORY", offer_files },
        { "FILE.json", offer_path },
        { "FILTER", offer_filter },
        { "JOB", offer_job },
        { "MODULE.c", offer_modules },
        { "MODULE.so", offer_modules },
        { "NAME", offer_names },
        { "NEW", offer_side },
        { "OLD", offer_side },
        { "MODULE", offer_side },
        { "PROGRAM", offer_commands },
        { "@JOB", offer_job_module },
        { "[AREA/]BENCHMARK", offer_built_in },
};

/* True if a column before the one at @index of @kind, or of a table before, has the same name. */
static bool is_column_before(const Verb *verb, ColumnTableKind kind, size_t index, const char *name) {
        for (ColumnTableKind other = 0; other < kind; other++)
                if (view_may_show(verb, other) && columns_find(other, name, strlen(name)))
                        return true;
        for (size_t i = 0; i < index; i++)
                if (columns_table(kind)->columns[i].name && strcmp(columns_table(kind)->columns[i].name, name) == 0)
                        return true;
        return false;
}

/* The last of names joined by commas, from the tables that the command has. */
static void offer_columns(Begun *begun) {
        const char *comma = strrchr(begun->word, ',');

        if (!begun->line->verb || (comma && !begun_advance(begun, comma + 1 - begun->word)))
                return;
        for (ColumnTableKind kind = 0; kind < _TABLE_KIND_N; kind++) {
                const ColumnTable *table = columns_table(kind);

                for (size_t i = 0; i < table->n && view_may_show(begun->line->verb, kind); i++) {
                        const char *name = table->columns[i].name;

                        if (name && !is_column_before(begun->line->verb, kind, i, name))
                                begun_offer(begun, name, "", NULL);
                }
        }
}

static const Place value_places[] = {
        { "COLUMN,...", offer_columns },
        { "DIRECTORY", offer_files },
        { "FILE", offer_files },
        { "FILE.npz", offer_files },
        { "FORMAT", offer_formats },
        { "LIB.so", offer_files },
        { "PATH", offer_files },
        { "WHERE", offer_files },
        { "[BENCHMARK]", offer_module_benchmarks },
};

static void offer_value(const Begun *begun, const CommandOption *option) {
        Begun own = *begun; /* its prefix grows */

        if (option->values)
                begun_offer_words(begun, option->values);
        for (size_t i = 0; i < N_ELEMENTS(value_places); i++)
                if (strcmp(value_places[i].name, option->value) == 0)
                        value_places[i].offer(&own);
}

/* Offers what @operand may be, unless it was offered last: two kinds of modules are the same files. */
static void on_operand(const Operand *operand, void *context) {
        Begun *begun = context;

        for (size_t i = 0; i < N_ELEMENTS(operand_places); i++) {
                Begun own = *begun; /* its prefix grows */

                if (!operand_is(operand, operand_places[i].name) || operand_places[i].offer == begun->offered)
                        continue;
                begun->offered = operand_places[i].offer;
                operand_places[i].offer(&own);
        }
}

static void offer_operand(Begun *begun) {
        const CommandLine *line = begun->line;
        const OperandWords words = {
                .option = *line->named ? line->named : NULL,
                .words = line->operands,
                .n = line->n_operands,
        };

        operands_next(line->verb->operands, &words, line->after_dashes, on_operand, begun);
}

/* ---- the line */

/* Finds the option that the word @word names, "--name", "--name=value" or "-n". */
static const CommandOption *line_find_option(const Verb *verb, const char *word) {
        char name[64];

        if (strncmp(word, "--", 2) != 0)
                return command_option_find_letter(word[1], verb);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
        return command_option_find(name, verb);
}

static void line_take_value(CommandLine *line, const char *name, const char *value) {
        if (strcmp(name, "socket") == 0)
                line->socket = value;
        if (strcmp(name, "host") == 0)
                line->host = value;
        if (strcmp(name, "with") == 0 && line->n_with < COMPLETE_WITH_MAX)
                line->with[line->n_with++] = value;
        if (strcmp(name, "preload") == 0 && line->n_preload < COMPLETE_WITH_MAX)
                line->preload[line->n_preload++] = value;
}

static void line_take_option(CommandLine *line, const char *word) {
        const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
        const CommandOption *option = line_find_option(line->verb, word);
        char named[sizeof line->named];

        if (!option)
                return;
        snprintf(named, sizeof named, "--%s", option->name);
        if (line->verb && strstr(line->verb->operands, named))
                memcpy(line->named, named, sizeof named);
        if (!option->value)
                return;
        if (equals)
                line_take_value(line, option->name, equals + 1);
        else if ((word[1] == '-' || !word[2]) && !command_option_may_lack_value(option))
                line->option = option;
}

static void line_take_operand(CommandLine *line, const char *word) {
        if (!line->verb) {
                line->verb = verb_find(word);
                line->unknown = !line->verb;
                return;
        }
        if (line->n_operands < COMPLETE_OPERANDS_MAX)
                line->operands[line->n_operands++] = word;
        if (line->built_in && built_in_has(line->built_in, word) && line->verb->traits & VERB_TARGETS) {
                if (line->n_areas < COMPLETE_AREAS_MAX)
                        line->areas[line->n_areas++] = word;
        } else if (!line->module)
                line->module = word;
}

static void line_take(CommandLine *line, const char *word) {
        if (line->option) {
                line_take_value(line, line->option->name, word);
                line->option = NULL;
        } else if (line->after_dashes) {
                return;
        } else if (strcmp(word, "--") == 0) {
                line->after_dashes = true;
        } else if (*word == '-' && word[1]) {
                line_take_option(line, word);
        } else {
                line_take_operand(line, word);
        }
}

static void begun_complete(Begun *begun) {
        const CommandLine *line = begun->line;
        const char *equals = strchr(begun->word, '=');
        const CommandOption *option;

        if (line->unknown)
                return;
        if (line->option)
                offer_value(begun, line->option);
        else if (!line->after_dashes && strncmp(begun->word, "--", 2) == 0 && equals) {
                option = line_find_option(line->verb, begun->word);
                if (option && option->value && begun_advance(begun, equals + 1 - begun->word))
                        offer_value(begun, option);
        } else if (!line->after_dashes && *begun->word == '-')
                offer_options(begun);
        else if (!line->verb)
                offer_verbs(begun);
        else
                offer_operand(begun);
}

/* The candidates so far are complete lines. */
static void give_up(int signal) {
        _exit(0);
}

void complete(const char *const *words, FILE *out) {
        _cleanup_(built_in_freep) BuiltIn *built_in = NULL;
        CommandLine line = { .host = getenv("BENCHCTL_HOST") };
        Begun begun = { .line = &line, .word = "", .out = out };

        setvbuf(out, NULL, _IOLBF, 0);
        (void)signal(SIGALRM, give_up);
        alarm(COMPLETE_PATIENCE_S);
        if (built_in_find(&built_in) == 0)
                line.built_in = built_in;
        for (; *words && words[1]; words++)
                line_take(&line, *words);
        if (*words)
                begun.word = *words;
        begun_complete(&begun);
        alarm(0);
}
