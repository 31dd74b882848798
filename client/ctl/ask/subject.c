/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/subject.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/built-in.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/module-parts.h"
#include "ctl/ask/source-places.h"
#include "ctl/ask/source-text.h"
#include "ctl/ask/target.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/base/installed.h"
#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/settings.h"
#include "ctl/model/verb.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/nearest.h"
#include "util/text-stream.h"

#define SUBJECT_JOBS     1000u /* of the history, that the time of a job is looked for in */
#define SUBJECT_PATH_MAX 256u
#define SUBJECT_NAMES_N  12u /* of a module's benchmarks, that are named */

DEFINE_CLEANUP(benchd_query *, benchd_query_free)

/* ---- the arguments */

/* True if @word can only be a module: a lone one is else a built-in benchmark. */
static bool is_module(const char *word) {
        const char *dot = strrchr(word, '.');

        return *word == '@' || strcmp(word, LOAD_STDIN) == 0 || (dot && strcmp(dot, ".so") == 0) ||
               module_parts_are_built(word) || (strpbrk(word, "/.") && access(word, F_OK) == 0);
}

/* The first words are of the module: one, or several that make it. The last one is the benchmark, unless it is of the module too. */
static size_t count_module_words(const SettingsWords *words) {
        size_t n = 0;

        while (n < words->n && module_parts_are_built(words->words[n]))
                n++;
        if (n > 0)
                return n;
        return words->n > 1 || is_module(words->words[0]) ? 1 : 0;
}

/* True if @word is empty, or an area with nothing after it. */
static bool names_none(const char *word) {
        return !*word || word[strlen(word) - 1] == '/';
}

static int check_source_directories(const Settings *settings) {
        for (size_t i = 0; i < settings->source_directories.n; i++) {
                const char *path = settings->source_directories.words[i];
                struct stat status;

                if (stat(path, &status) < 0) {
                        complain("--source-dir=%s: %s.", path, benchd_error_string(-errno));
                        return EXIT_USAGE;
                }
                if (!S_ISDIR(status.st_mode)) {
                        complain("--source-dir=%s is not a directory.", path);
                        return EXIT_USAGE;
                }
        }
        return 0;
}

int subject_check(const Settings *settings) {
        const SettingsWords *words = &settings->arguments;
        int r;

        if (names_none(words->words[words->n - 1])) {
                complain("'%s' does not name a benchmark: write AREA/NAME, or NAME.", words->words[words->n - 1]);
                return EXIT_USAGE;
        }
        if (settings->private_daemon && *words->words[0] == '@') {
                complain("--private cannot be combined with @JOB: a private daemon has no earlier jobs.");
                complain_hint("Omit --private, or name the module's file.");
                return EXIT_USAGE;
        }
        r = check_source_directories(settings);
        if (r || *words->words[0] == '@' || count_module_words(words) == 0)
                return r;
        return load_check_module(words->words[0]);
}

/* ---- the module */

static int subject_load_built_in(const Settings *settings, Subject *subject) {
        _cleanup_(built_in_freep) BuiltIn *built_in = NULL;
        int r;

        r = built_in_find(&built_in);
        if (r)
                return built_in_complain();
        subject->module_name = TARGET_BUILT_IN;
        subject->path = subject->owned_path = strdup(built_in_path(built_in));
        if (!subject->path) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        return load_module(settings, subject->path, subject->module_name, &subject->module);
}

static int subject_load_words(const Settings *settings, Subject *subject) {
        const SettingsWords *words = &settings->arguments;
        const size_t n = count_module_words(words);
        int r;

        subject->benchmark = n < words->n ? words->words[n] : NULL;
        if (n == 0)
                return subject_load_built_in(settings, subject);
        if (*words->words[0] == '@') {
                subject->module_name = words->words[0];
                (void)load_job(words->words[0], subject->job); /* load_recall() says what is wrong */
                return load_recall(words->words[0], &subject->module);
        }
        r = load_words(words->words, n, &subject->owned_path, &subject->owned_name);
        if (r)
                return r;
        subject->path = subject->owned_path;
        subject->module_name = subject->owned_name;
        return load_module(settings, subject->path, subject->module_name, &subject->module);
}

/* The named files from which the module may be compiled. */
static int add_words(SourcePlaces *places, const SettingsWords *words) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};
        const size_t n = count_module_words(words);
        int r = 0;

        for (size_t i = 0; r == 0 && i < n; i++)
                r = module_parts_add(&parts, words->words[i]);
        for (size_t i = 0; r == 0 && i < parts.n; i++)
                r = source_places_add_beside(places, parts.paths[i], getenv("HOME"));
        return error_trace(r);
}

/* The header, which has lines in every benchmark. */
static int add_header(SourcePlaces *places) {
        char path[PATH_MAX];

        return installed_find(INSTALLED_HEADER, path) == 0
                               ? error_trace(source_places_add_public(places, dirname(path)))
                               : 0;
}

/* Neither a job's module has one, nor one that came through a pipe. */
static bool has_directory(const Subject *subject) {
        return subject->path && !load_is_piped(subject->path);
}

static int subject_find_places(const Settings *settings, Subject *subject) {
        static const char *const of_system[] = { "/usr/include", "/usr/lib", "/usr/local/include" };
        int r;

        r = source_places_new(&subject->places);
        for (size_t i = 0; r == 0 && i < settings->source_directories.n; i++)
                r = source_places_add_named(subject->places, settings->source_directories.words[i]);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(of_system); i++)
                r = source_places_add_public(subject->places, of_system[i]);
        if (r == 0)
                r = add_header(subject->places);
        if (r == 0 && has_directory(subject))
                r = source_places_add_beside(subject->places, subject->path, getenv("HOME"));
        if (r == 0 && has_directory(subject))
                r = add_words(subject->places, &settings->arguments);
        if (r == 0)
                return 0;
        complain("Cannot look for sources: %s.", benchd_error_string(r > 0 ? -ENOTDIR : r));
        return EXIT_MACHINE;
}

int subject_load(const Settings *settings, Subject *ret_subject) {
        Subject subject = {};
        int r;

        r = subject_load_words(settings, &subject);
        if (r == 0)
                r = subject_find_places(settings, &subject);
        if (r) {
                subject_clear(&subject);
                return r;
        }
        *ret_subject = subject;
        return 0;
}

void subject_clear(Subject *subject) {
        benchd_module_free(subject->module);
        source_places_free(subject->places);
        free(subject->owned_path);
        free(subject->owned_name);
        *subject = (Subject){};
}

/* ---- the inspection */

void subject_complain_outside(const Subject *subject, const char *path) {
        char quoted[HINT_WORD_MAX], directory[PATH_MAX];

        snprintf(directory, sizeof directory, "%s", path);
        complain("%s was not opened: %s names it in its debug information, but it does not lie %sbelow a directory of --source-dir.",
                        path, subject->module_name,
                        has_directory(subject) ? "below the module's own directory, nor " : "");
        complain_hint("If the module is to be trusted, name the directory: --source-dir=%s",
                        hint_quote(dirname(directory), quoted));
}

static int inspect(const Subject *subject, Connection *connection, const char *benchmark, unsigned parts,
                json_t **ret_inspection) {
        uint64_t id;
        int r;

        r = benchd_client_inspect(connection->client, subject->module, benchmark, parts, &id);
        if (r) {
                complain("Cannot send %s: %s.", subject->module_name, benchd_error_string(r));
                return EXIT_USAGE;
        }
        return connection_answer(connection, id, ret_inspection);
}

/* Names the benchmarks of @inspection, one of which must be chosen. */
static int complain_choice(const Subject *subject, const json_t *inspection) {
        const json_t *benchmarks = result_rows(inspection);
        const size_t n = json_array_size(benchmarks);
        _cleanup_(text_stream_clear) TextStream names = {};
        FILE *out;

        complain("%s has %zu benchmarks. Name one.", subject->module_name, n);
        out = text_stream_open(&names);
        for (size_t i = 0; i < n && i < SUBJECT_NAMES_N; i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);

                fprintf(out, "%s%s/%s", i > 0 ? ", " : "", row_area(benchmark), json_text_or(benchmark, "name", "?"));
        }
        if (text_stream_close(&names) == 0)
                complain_hint("It has %s%s", names.text, n > SUBJECT_NAMES_N ? ", …" : "");
        return EXIT_USAGE;
}

/* The only benchmark of the module, as area/name; the caller's to free(). */
static int subject_only(const Subject *subject, Connection *connection, char **ret_name) {
        _cleanup_(json_decrefp) json_t *inspection = NULL;
        const char *area, *name;
        int r;

        r = inspect(subject, connection, NULL, 0, &inspection);
        if (r)
                return r;
        if (json_array_size(result_rows(inspection)) != 1)
                return complain_choice(subject, inspection);
        area = json_text_at(json_array_get(result_rows(inspection), 0), "area");
        name = json_text_at(json_array_get(result_rows(inspection), 0), "name");
        if (asprintf(ret_name, "%s/%s", area ? area : "", name ? name : "") < 0) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        return 0;
}

/* Offers the benchmark that was probably meant, after the daemon said that there is none of that name. */
static void suggest_benchmark(const Subject *subject, Connection *connection) {
        _cleanup_(json_decrefp) json_t *inspection = NULL;
        const bool whole = strchr(subject->benchmark, '/');
        Nearest nearest = { .word = subject->benchmark };
        const json_t *benchmarks;
        json_t *benchmark;

        if (inspect(subject, connection, NULL, 0, &inspection) != 0)
                return;
        benchmarks = result_rows(inspection);
        json_each(i, benchmark, benchmarks) {
                const char *name = json_text_at(benchmark, "name");
                char path[SUBJECT_PATH_MAX];

                snprintf(path, sizeof path, "%s/%s", row_area(benchmark), name ? name : "");
                json_object_set_new(benchmark, "path",
                                json_string(path)); /* the texts live as long as the inspection */
                nearest_offer(&nearest, whole ? json_text_at(benchmark, "path") : name);
        }
        if (nearest.name)
                complain_hint("Did you mean %s?", nearest.name);
}

/* "2026-05-01T12:30:15.123Z", as JSON has it; 0 if it is none. */
static int64_t instant_ns(const char *iso) {
        struct tm parts = {};
        const char *fraction = iso ? strptime(iso, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
        unsigned ms = 0;

        if (!fraction)
                return 0;
        (void)sscanf(fraction, ".%3u", &ms);
        return (int64_t)timegm(&parts) * 1000000000 + ms * INT64_C(1000000);
}

/* When the earlier job was submitted: its module is older. 0: unknown. */
static int64_t subject_submitted_ns(const Subject *subject, Connection *connection) {
        _cleanup_(benchd_query_freep) benchd_query *query = NULL;
        _cleanup_(json_decrefp) json_t *history = NULL;
        const json_t *entries;
        uint64_t id;
        const json_t *entry;

        if (benchd_query_new(&query) != 0 || benchd_query_set_limit(query, SUBJECT_JOBS) != 0 ||
                        benchd_client_history(connection->client, query, &id) != 0 ||
                        connection_answer(connection, id, &history) != 0)
                return 0;
        entries = json_at(history, "entries");
        json_each(i, entry, entries) {
                const char *job = json_text_at(entry, "run_id");

                if (job && strncmp(job, subject->job, strlen(subject->job)) == 0)
                        return instant_ns(json_text_at(entry, "submitted_at"));
        }
        return 0;
}

int subject_inspect(const Subject *subject, Connection *connection, unsigned parts, json_t **ret_inspection) {
        _cleanup_(json_decrefp) json_t *inspection = NULL;
        _cleanup_(freep) char *only = NULL;
        SourceModule module = { .path = subject->path, .places = subject->places };
        int r = 0;

        if (!subject->benchmark)
                r = subject_only(subject, connection, &only);
        if (r == 0)
                r = inspect(subject, connection, only ? only : subject->benchmark, parts, &inspection);
        if (r && subject->benchmark && strcmp(connection->refusal, "no-match") == 0)
                suggest_benchmark(subject, connection);
        if (r)
                return r;
        module.made_ns = subject->path ? source_changed_ns(subject->path) : subject_submitted_ns(subject, connection);
        if (source_texts_read(inspection, &module) != 0) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        *ret_inspection = take_pointer(inspection);
        return 0;
}
