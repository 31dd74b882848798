/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/app/operands.h"

#include <stdint.h>
#include <string.h>

#include "ctl/ask/module-parts.h"
#include "util/cleanup.h"

#define PLACES_MAX 32u /* of a set's bits */
#define TERMS_MAX  16u

/* ---- the grammar: places, each of one kind in one term, and which may follow which */

typedef uint32_t PlaceSet;

typedef struct Place {
        Operand operand;
        size_t term;
        PlaceSet again; /* places that may follow it within its term */
} Place;

typedef struct Term {
        PlaceSet places;
        bool optional;
        bool behind; /* after "--" */
        bool last;   /* of a way to call the verb */
} Term;

typedef struct Grammar {
        Place places[PLACES_MAX];
        size_t n_places;
        Term terms[TERMS_MAX];
        size_t n_terms;
} Grammar;

bool operand_is(const Operand *operand, const char *name) {
        return operand->n == strlen(name) && memcmp(operand->name, name, operand->n) == 0;
}

/* Adds the kind of @n bytes at @text. Returns true if its words may be repeated. */
static bool grammar_add_place(Grammar *grammar, const char *text, size_t n) {
        static const char dots[] = "...";
        Term *term = &grammar->terms[grammar->n_terms];
        const PlaceSet place = (PlaceSet)1 << grammar->n_places;
        bool again;

        for (; *text == ' '; n--)
                text++;
        while (n > 0 && text[n - 1] == ' ')
                n--;
        again = n > strlen(dots) && memcmp(text + n - strlen(dots), dots, strlen(dots)) == 0;
        grammar->places[grammar->n_places++] = (Place){
                .operand = { text, n - (again ? strlen(dots) : 0) },
                .term = grammar->n_terms,
                .again = again ? place : 0,
        };
        term->places |= place;
        return again;
}

static void grammar_add_term(Grammar *grammar, const char *text, size_t n) {
        Term *term = &grammar->terms[grammar->n_terms];
        const size_t first = grammar->n_places;
        const char *end;
        bool again = false;

        term->optional = text[0] == '[' && text[n - 1] == ']';
        text += term->optional;
        end = text + n - (term->optional ? 2 : 0);
        term->behind = strncmp(text, "-- ", strlen("-- ")) == 0;
        for (text += term->behind ? strlen("-- ") : 0; text < end;) {
                const char *bar = memchr(text, '|', (size_t)(end - text)), *stop = bar ? bar : end;

                again = grammar_add_place(grammar, text, (size_t)(stop - text));
                text = stop + (bar != NULL);
        }
        for (size_t i = first; again && i < grammar->n_places; i++) /* the last: all kinds are */
                grammar->places[i].again = term->places;
        grammar->n_terms++;
}

/* The length of the term at @text: to the next space that is in no brackets. */
static size_t term_length(const char *text) {
        size_t n = 0;

        for (int depth = 0; text[n] && (depth > 0 || text[n] != ' '); n++)
                depth += (text[n] == '[') - (text[n] == ']');
        return n;
}

static void grammar_parse(Grammar *grammar, const char *text) {
        while (*text && grammar->n_terms < TERMS_MAX) {
                const size_t n = term_length(text);

                if (n == 1 && *text == '|')
                        grammar->terms[grammar->n_terms - 1].last = true;
                else
                        grammar_add_term(grammar, text, n);
                text += n + (text[n] == ' ');
        }
        if (grammar->n_terms > 0)
                grammar->terms[grammar->n_terms - 1].last = true;
}

/* The possible places of the next word; @end: none is needed. */
typedef struct Next {
        PlaceSet places;
        bool end;
} Next;

/* Adds the places of the term @term, and of the later terms that can be reached without a word. */
static void grammar_add_next(const Grammar *grammar, size_t term, Next *next) {
        for (; term < grammar->n_terms; term++) {
                next->places |= grammar->terms[term].places;
                if (!grammar->terms[term].optional)
                        return;
                if (grammar->terms[term].last)
                        break;
        }
        next->end = true;
}

static Next grammar_begin(const Grammar *grammar) {
        Next next = { .end = grammar->n_terms == 0 };

        for (size_t i = 0; i < grammar->n_terms; i++)
                if (i == 0 || grammar->terms[i - 1].last)
                        grammar_add_next(grammar, i, &next);
        return next;
}

static Next grammar_follow(const Grammar *grammar, size_t place) {
        const Place *of = &grammar->places[place];
        Next next = { .places = of->again };

        if (grammar->terms[of->term].last)
                next.end = true;
        else
                grammar_add_next(grammar, of->term + 1, &next);
        return next;
}

/* ---- the words */

static bool is_of_job(const char *word) {
        return *word == '@';
}

static bool is_path(const char *word) {
        return strpbrk(word, "./");
}

static bool is_something(const char *word) {
        return *word;
}

/* Kinds recognised by a word's shape; any word may be of another kind. */
typedef struct PictureShape {
        const char *name;
        bool (*fits)(const char *word);
} PictureShape;

static const PictureShape shapes[] = {
        { "MODULE.c", module_parts_are_built },
        { "@JOB", is_of_job },
        { "FILE.json", is_path },
        { "[AREA/]BENCHMARK", is_something },
};

static const PictureShape *operand_shape(const Operand *operand) {
        for (size_t i = 0; i < N_ELEMENTS(shapes); i++)
                if (operand_is(operand, shapes[i].name))
                        return &shapes[i];
        return NULL;
}

/* A kind that is an option stands for that alone, and no other kind for an option. */
static bool option_fits(const Operand *operand, const char *word, bool is_behind) {
        const bool is_option = !is_behind && strncmp(word, "--", 2) == 0;

        return strncmp(operand->name, "--", 2) == 0 ? is_option && operand_is(operand, word) : !is_option;
}

static bool place_stands(const Grammar *grammar, size_t place, bool is_behind) {
        const Place *of = &grammar->places[place];

        return grammar->terms[of->term].behind == is_behind || (is_behind && operand_is(&of->operand, "FILTER"));
}

/*
 * Takes a word in one of the places of @next, and replaces @next by the places that may follow. @ret_last: its kind if it is the last word;
 * of several kinds, the one recognised by its shape.
 */
static void grammar_take(const Grammar *grammar, const char *word, bool is_behind, Next *next, Operand *ret_last) {
        Next after = {};

        *ret_last = (Operand){};
        for (size_t i = 0; i < grammar->n_places; i++) {
                const PictureShape *shape = operand_shape(&grammar->places[i].operand);
                Next of_place;

                if (!(next->places >> i & 1) || !place_stands(grammar, i, is_behind) || (shape && !shape->fits(word)) ||
                                !option_fits(&grammar->places[i].operand, word, is_behind))
                        continue;
                of_place = grammar_follow(grammar, i);
                after.places |= of_place.places;
                after.end |= of_place.end;
                if (of_place.end && (shape || !ret_last->name))
                        *ret_last = grammar->places[i].operand;
        }
        *next = after;
}

static Next grammar_take_all(const Grammar *grammar, const OperandWords *words, Operand *ret_last) {
        Next next = grammar_begin(grammar);

        *ret_last = (Operand){};
        if (words->option)
                grammar_take(grammar, words->option, false, &next, ret_last);
        for (size_t i = 0; i < words->n; i++)
                grammar_take(grammar, words->words[i], false, &next, ret_last);
        for (size_t i = 0; i < words->n_behind; i++)
                grammar_take(grammar, words->behind[i], true, &next, ret_last);
        return next;
}

bool operands_fit(const char *text, const OperandWords *words, Operand *ret_last) {
        Grammar grammar = {};

        grammar_parse(&grammar, text);
        return grammar_take_all(&grammar, words, ret_last).end;
}

void operands_next(const char *text, const OperandWords *words, bool is_behind,
                void (*visit)(const Operand *operand, void *context), void *context) {
        Grammar grammar = {};
        Operand last;
        Next next;

        grammar_parse(&grammar, text);
        next = grammar_take_all(&grammar, words, &last);
        for (size_t i = 0; i < grammar.n_places; i++)
                if (next.places >> i & 1 && place_stands(&grammar, i, is_behind))
                        visit(&grammar.places[i].operand, context);
}
