/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operands by their grammar: which words are taken, which kind the last one is, and what may follow. */

#include "ctl/app/operands.h"

#include "ctl/app/verbs.h"
#include "test.h"

#define WORDS_MAX 8u

typedef struct Line {
        char text[64];
        const char *words[WORDS_MAX];
        OperandWords operands;
        bool is_behind;
} Line;

/* Words parted by spaces, "--" among them. */
static void line_split(Line *line, const char *text) {
        size_t n = 0;

        *line = (Line){ .operands.words = line->words, .operands.behind = line->words };
        snprintf(line->text, sizeof line->text, "%s", text);
        for (char *word = strtok(line->text, " "); word; word = strtok(NULL, " ")) {
                if (strcmp(word, "--") == 0) {
                        line->is_behind = true;
                        line->operands.behind = line->words + n;
                } else if (strncmp(word, "--", 2) == 0) {
                        line->operands.option = word;
                } else {
                        line->words[n++] = word;
                        line->operands.n += !line->is_behind;
                        line->operands.n_behind += line->is_behind;
                }
        }
}

TEST(words_that_fit_are_told_from_those_that_do_not) {
        static const struct {
                const char *verb, *typed;
                const char *last; /* NULL: they do not fit */
        } rows[] = {
                { "status", "", "" },
                { "status", "x", NULL },
                { "status", "-- x", NULL },
                { "pin", "", NULL },
                { "pin", "1234", "JOB" },
                { "pin", "1234 5678", NULL },
                { "pin", "1234 -- x", NULL },
                { "pin", "-- 1234", NULL },
                { "wait", "", "" },
                { "wait", "r.json", "JOB" },
                { "show", "1234", "JOB" },
                { "show", "r.json", "FILE.json" },
                { "show", "r.json 1234", "B" },
                { "show", "a b c", NULL },
                { "run", "", "" },
                { "run", "strings a.c b.c m.so strings", "AREA" },
                { "run", "a.c -- f g", "FILTER" },
                { "run", "-- f", "FILTER" },
                { "compare", "a", NULL },
                { "compare", "a b", "NEW" },
                { "compare", "a b f g", "FILTER" },
                { "compare", "a b f -- g", "FILTER" },
                { "compare", "a -- b", NULL },
                { "compare", "--git", NULL },
                { "compare", "--git a", "MODULE" },
                { "compare", "--build a f", "FILTER" },
                { "source", "strlen", "BENCHMARK" },
                { "source", "m.so strlen", "BENCHMARK" },
                { "source", "m.so a b", NULL },
                { "source", "a.c b.c", "BENCHMARK" },
                { "source", "a.c b.c strlen", "BENCHMARK" },
                { "source", "a.c strlen b.c", NULL },
                { "source", "m.so -- strlen", NULL },
                { "debug", "a.c strlen -- -x", "DEBUGGER-OPTION" },
                { "edit", "", NULL },
                { "edit", "strings/strlen d", "DIRECTORY" },
                { "edit", "a b c", NULL },
                { "edit", "a.c b.c strlen", "BENCHMARK" },
                { "unpack", "d strings calls", "AREA" },
                { "unpack", "d -- x", NULL },
                { "set-governor", "", NULL },
                { "set-governor", "powersave", "NAME" },
                { "set-governor", "--restore", "--restore" },
                { "set-governor", "powersave --restore", NULL },
                { "history", "f g", NULL },
                { "history", "-- f", "FILTER" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                Operand last;
                Line line;

                line_split(&line, rows[i].typed);
                if (operands_fit(verb_find(rows[i].verb)->operands, &line.operands, &last) != (rows[i].last != NULL))
                        fail_msg("%s %s", rows[i].verb, rows[i].typed);
                if (rows[i].last && *rows[i].last && !operand_is(&last, rows[i].last))
                        fail_msg("%s %s: %.*s", rows[i].verb, rows[i].typed, (int)last.n, last.name);
                assert_int_equal(rows[i].last && !*rows[i].last, rows[i].last && !last.name);
        }
}

static void add_kind(const Operand *operand, void *context) {
        char *kinds = context;
        const size_t n = strlen(kinds);

        snprintf(kinds + n, 256 - n, "%s%.*s", n ? " " : "", (int)operand->n, operand->name);
}

TEST(what_may_follow_is_told_by_the_words_before) {
        static const struct {
                const char *verb, *typed, *kinds;
        } rows[] = {
                { "run", "", "AREA MODULE.so MODULE.c" },
                { "run", "strings", "AREA MODULE.so MODULE.c" },
                { "run", "strings --", "FILTER" },
                { "compare", "", "OLD --git --build" },
                { "compare", "--git", "MODULE" },
                { "compare", "--git a", "FILTER" },
                { "compare", "a", "NEW" },
                { "compare", "a b", "FILTER" },
                { "compare", "a b --", "FILTER" },
                { "source", "", "MODULE.so MODULE.c @JOB BENCHMARK" },
                { "source", "m.so", "BENCHMARK" },
                { "source", "a.c", "MODULE.c BENCHMARK" },
                { "source", "@1234", "BENCHMARK" },
                { "source", "m.so strlen", "" },
                { "show", "", "JOB FILE.json A" },
                { "show", "1234", "B" },
                { "edit", "", "MODULE.c [AREA/]BENCHMARK" },
                { "edit", "strings", "DIRECTORY" },
                { "debug", "m.so", "BENCHMARK" },
                { "debug", "m.so strlen --", "DEBUGGER-OPTION" },
                { "unpack", "d", "AREA" },
                { "status", "", "" },
                { "pin", "1234", "" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                char kinds[256] = "";
                Line line;

                line_split(&line, rows[i].typed);
                operands_next(verb_find(rows[i].verb)->operands, &line.operands, line.is_behind, add_kind, kinds);
                if (strcmp(kinds, rows[i].kinds) != 0)
                        fail_msg("%s %s: %s", rows[i].verb, rows[i].typed, kinds);
        }
}

TEST(a_verb_with_operands_tells_them_in_words) {
        const Verb *verb;

        for (size_t i = 0; (verb = verb_at(i)); i++)
                assert_int_equal(*verb->operands != '\0', verb->takes != NULL);
}
