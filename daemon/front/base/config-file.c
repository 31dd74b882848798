/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/config-file.h"

#include <dirent.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/text.h"
#include "util/error.h"

#define CONFIG_FILE_WORDS_MAX 512u

/* inih tells no line with a value, nor all the lines that it cannot read: both follow from who feeds it the lines. */
typedef struct ConfigParser {
        ConfigFile *file;
        FILE *stream;
        const char *path;
        unsigned line;
        bool unread; /* the last line means something, and nothing came of it yet */
        int failed;  /* no memory */
} ConfigParser;

/* ---- problems */

static int config_file_add_problem(ConfigFile *file, bool fatal, const char *text) {
        size_t n = strlen(text);
        ConfigProblem *problems;
        char *clean;

        problems = reallocarray(file->problems, file->n_problems + 1, sizeof *problems);
        if (!problems)
                return error_origin(-ENOMEM);
        file->problems = problems;
        clean = malloc(TEXT_GROWTH * n + 1);
        if (!clean)
                return error_origin(-ENOMEM);
        text_clean(text, n, false, clean);
        problems[file->n_problems++] = (ConfigProblem){ .text = clean, .fatal = fatal };
        return 0;
}

__attribute__((format(printf, 3, 4))) static void complain(ConfigParser *parser, bool fatal, const char *format, ...) {
        _cleanup_(freep) char *what = NULL, *text = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&what, format, arguments);
        va_end(arguments);
        if (n >= 0 && parser->line > 0)
                n = asprintf(&text, "%s:%u: %s", parser->path, parser->line, what);
        else if (n >= 0)
                n = asprintf(&text, "%s: %s", parser->path, what);
        parser->failed = n < 0 ? -ENOMEM : config_file_add_problem(parser->file, fatal, text);
}

/* The names that would have been right: the options of @section, or without one the sections. */
static void list_names(const char *section, char words[static CONFIG_FILE_WORDS_MAX]) {
        const ConfigOption *option, *previous = NULL;
        size_t n = 0;

        words[0] = 0;
        for (size_t i = 0; (option = config_option_at(i)); previous = option, i++) {
                bool named = section ? strcmp(option->section, section) == 0
                                     : !previous || strcmp(option->section, previous->section) != 0;

                if (named && n < CONFIG_FILE_WORDS_MAX)
                        n += snprintf(words + n, CONFIG_FILE_WORDS_MAX - n, section ? "%s%s" : "%s[%s]", n ? ", " : "",
                                        section ? option->name : option->section);
        }
}

static void complain_unknown(ConfigParser *parser, const char *section, const char *name) {
        char words[CONFIG_FILE_WORDS_MAX];

        list_names(section, words);
        if (words[0]) {
                complain(parser, true, "section [%s] has no option \"%s\": it has %s", section, name, words);
                return;
        }
        list_names(NULL, words);
        if (section[0])
                complain(parser, true, "there is no section [%s]: those that there are: %s", section, words);
        else
                complain(parser, true, "\"%s\" stands in no section: write one above it, of %s", name, words);
}

static void complain_value(ConfigParser *parser, const ConfigOption *option, const char *value, int outcome) {
        char takes[CONFIG_VALUE_MAX];

        config_describe(option, takes);
        if (outcome == CONFIG_E_RANGE)
                complain(parser, false, "%s cannot be %s, and the line is left out: it takes %s", option->name, value,
                                takes);
        else
                complain(parser, true, "\"%s\" is no value of %s: it takes %s", value, option->name, takes);
}

/* ---- lines */

static size_t option_index(const ConfigOption *option) {
        return (size_t)(option - config_option_at(0));
}

static int note_origin(ConfigParser *parser, const ConfigOption *option) {
        char *origin;

        if (asprintf(&origin, "%s:%u", parser->path, parser->line) < 0)
                return error_origin(-ENOMEM);
        free(parser->file->origins[option_index(option)]);
        parser->file->origins[option_index(option)] = origin;
        return 0;
}

static int on_option(void *userdata, const char *section, const char *name, const char *text) {
        ConfigParser *parser = userdata;
        const ConfigOption *option = config_find(section, name);
        uint64_t value;
        int r;

        parser->unread = false;
        if (!option) {
                complain_unknown(parser, section, name);
                return 1;
        }
        r = config_parse(option, text, &value);
        if (r) {
                complain_value(parser, option, text, r);
                return 1;
        }
        config_set(&parser->file->config, option, value);
        parser->failed = note_origin(parser, option);
        return 1;
}

/* Whether something must come of the line: it is neither empty, nor a comment, nor a section's whole name. */
static bool line_says_something(const char *line) {
        return *line && !strchr("\r\n;#", *line) && !(*line == '[' && strchr(line, ']'));
}

static void complain_if_unread(ConfigParser *parser) {
        if (parser->unread)
                complain(parser, true,
                                "this is neither [section] nor name=value: correct it, or begin the line with #");
        parser->unread = false;
}

/* Blanks at a line's start would make it go on with the option of the line before, which is not meant here. */
static char *read_line(char *line, int size, void *userdata) {
        ConfigParser *parser = userdata;
        _cleanup_(freep) char *read = NULL;
        size_t n_read = 0;
        const char *start;

        complain_if_unread(parser);
        if (parser->failed || getline(&read, &n_read, parser->stream) < 0)
                return NULL;
        parser->line++;
        start = read + strspn(read, " \t");
        if (strlen(start) >= (size_t)size) {
                complain(parser, true, "the line has more than %d bytes: shorten it", size - 1);
                start = "\n";
        }
        parser->unread = line_says_something(start);
        return strcpy(line, start);
}

/* ---- files */

static void complain_unreadable(ConfigParser *parser) {
        complain(parser, true, "it cannot be read (%s): name another, or give it to benchd's user to read",
                        strerror(errno));
}

static int config_file_read_one(ConfigFile *file, const char *path, bool required) {
        ConfigParser parser = { .file = file, .path = path };

        parser.stream = fopen(path, "re");
        if (!parser.stream && (required || errno != ENOENT))
                complain_unreadable(&parser);
        if (!parser.stream)
                return error_trace(parser.failed);
        (void)ini_parse_stream(read_line, &parser, on_option, &parser);
        complain_if_unread(&parser);
        if (ferror(parser.stream))
                complain_unreadable(&parser);
        fclose(parser.stream);
        return error_trace(parser.failed);
}

static int is_drop_in(const struct dirent *entry) {
        size_t n = strlen(entry->d_name);

        return entry->d_name[0] != '.' && n > strlen(".conf") &&
               strcmp(entry->d_name + n - strlen(".conf"), ".conf") == 0;
}

static int config_file_read_drop_in(ConfigFile *file, const char *directory, const char *name) {
        _cleanup_(freep) char *path = NULL;

        if (asprintf(&path, "%s/%s", directory, name) < 0)
                return error_origin(-ENOMEM);
        return error_trace(config_file_read_one(file, path, true));
}

static int config_file_read_drop_ins(ConfigFile *file, const char *directory) {
        ConfigParser parser = { .file = file, .path = directory };
        struct dirent **entries;
        int n, r;

        n = scandir(directory, &entries, is_drop_in, alphasort);
        if (n < 0 && errno != ENOENT)
                complain_unreadable(&parser);
        if (n < 0)
                return error_trace(parser.failed);
        r = 0;
        for (int i = 0; i < n; i++) {
                if (r == 0)
                        r = config_file_read_drop_in(file, directory, entries[i]->d_name);
                free(entries[i]);
        }
        free(entries);
        return error_trace(r);
}

static size_t count_options(void) {
        size_t n = 0;

        while (config_option_at(n))
                n++;
        return n;
}

int config_file_read(const char *path, bool required, ConfigFile **ret_file) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;
        _cleanup_(freep) char *drop_ins = NULL;
        int r;

        file = calloc(1, sizeof *file);
        if (!file)
                return error_origin(-ENOMEM);
        config_init(&file->config);
        file->origins = calloc(count_options(), sizeof *file->origins);
        if (!file->origins)
                return error_origin(-ENOMEM);
        r = config_file_read_one(file, path, required);
        if (r)
                return error_trace(r);
        if (asprintf(&drop_ins, "%s.d", path) < 0)
                return error_origin(-ENOMEM);
        r = config_file_read_drop_ins(file, drop_ins);
        if (r)
                return error_trace(r);
        *ret_file = take_pointer(file);
        return 0;
}

ConfigFile *config_file_free(ConfigFile *file) {
        if (!file)
                return NULL;
        for (size_t i = 0; file->origins && config_option_at(i); i++)
                free(file->origins[i]);
        for (size_t i = 0; i < file->n_problems; i++)
                free(file->problems[i].text);
        free(file->origins);
        free(file->problems);
        free(file);
        return NULL;
}

bool config_file_is_fatal(const ConfigFile *file) {
        for (size_t i = 0; i < file->n_problems; i++)
                if (file->problems[i].fatal)
                        return true;
        return false;
}

/* ---- what --check-config tells */

static void print_option(const ConfigFile *file, size_t i) {
        const ConfigOption *option = config_option_at(i), *previous = i ? config_option_at(i - 1) : NULL;
        char value[CONFIG_VALUE_MAX];
        int n;

        if (!previous || strcmp(option->section, previous->section) != 0)
                printf("%s[%s]\n", previous ? "\n" : "", option->section);
        config_print(option, config_get(&file->config, option), value);
        n = printf("%s=%s", option->name, value);
        printf("%*s ; %s\n", n < 28 ? 28 - n : 0, "", file->origins[i] ? file->origins[i] : "default");
}

int config_file_check(const ConfigFile *file) {
        for (size_t i = 0; i < file->n_problems; i++)
                fprintf(stderr, "%s\n", file->problems[i].text);
        if (file->n_problems > 0)
                return EXIT_FAILURE;
        for (size_t i = 0; config_option_at(i); i++)
                print_option(file, i);
        return EXIT_SUCCESS;
}
