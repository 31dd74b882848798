/* SPDX-License-Identifier: MIT */
#include "util/glob.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

#define GLOB_BYTES     256u /* values of a byte */
#define GLOB_WORD_BITS 64u
#define GLOB_WORDS_MAX ((GLOB_BYTES_MAX + 1 + GLOB_WORD_BITS - 1) / GLOB_WORD_BITS)
#define GLOB_CLASS_MAX 8u

enum {
        BRACKET_E_OPEN = GLOB_E_TOO_LONG + 1, /* it has no end: it is an ordinary byte */
};

/* State i: the first i elements took what was read. One more than elements; the last one accepts. */
struct Glob {
        size_t n_elements;
        size_t n_words;
        uint64_t stars[GLOB_WORDS_MAX]; /* the elements that take any number of bytes */
        uint64_t takes[];               /* for each byte, the elements that take it: n_words each */
};

/* A set of bytes. */
typedef struct ByteSet {
        bool has[GLOB_BYTES];
} ByteSet;

static const struct {
        char name[GLOB_CLASS_MAX];
        int (*has)(int byte);
} glob_classes[] = {
        { "alnum", isalnum },
        { "alpha", isalpha },
        { "blank", isblank },
        { "cntrl", iscntrl },
        { "digit", isdigit },
        { "graph", isgraph },
        { "lower", islower },
        { "print", isprint },
        { "punct", ispunct },
        { "space", isspace },
        { "upper", isupper },
        { "xdigit", isxdigit },
};

const char *glob_outcome_words(int outcome) {
        static const char *const words[] = {
                [GLOB_E_CLASS] = "names no class of characters",
                [GLOB_E_RANGE] = "ends within a range or after a backslash",
                [GLOB_E_TOO_LONG] = "is too long",
        };

        return words[outcome];
}

/* ---- brackets */

/* The text between "[X" at @text and "X]". NULL: there is no such end, so the bracket is an ordinary byte. */
static const char *bracket_name(const char *text, size_t *ret_n) {
        const char end[] = { text[1], ']', '\0' };
        const char *close = strstr(text + 2, end);

        /* "[=]=]" and "[.].]" name the bracket itself */
        if (close == text + 2 && text[1] != ':')
                close = NULL;
        *ret_n = close ? (size_t)(close - text - 2) : 0;
        return close ? text + 2 : NULL;
}

static int set_add_class(ByteSet *set, const char *name, size_t n) {
        for (size_t i = 0; i < N_ELEMENTS(glob_classes); i++) {
                if (strlen(glob_classes[i].name) != n || strncmp(glob_classes[i].name, name, n) != 0)
                        continue;
                for (unsigned byte = 1; byte < GLOB_BYTES; byte++)
                        set->has[byte] |= glob_classes[i].has(byte) != 0;
                return 0;
        }
        return GLOB_E_CLASS;
}

/* Reads one byte of a bracket at *@text: itself, after a backslash, or in [.X.] or [=X=]. */
static int bracket_read_byte(const char **text, unsigned char *ret_byte) {
        const bool named = **text == '[' && ((*text)[1] == '.' || (*text)[1] == '=');
        const char *name;
        size_t n;

        if (**text == '\\') {
                *ret_byte = (*text)[1];
                *text += 2;
                return *ret_byte ? 0 : GLOB_E_RANGE;
        }
        if (!named) {
                *ret_byte = *(*text)++;
                return 0;
        }
        name = bracket_name(*text, &n);
        if (!name) /* fnmatch() treats its bytes literally or as nothing, depending on what came before */
                return GLOB_E_CLASS;
        *ret_byte = *name;
        *text = name + n + 2;
        return n == 1 ? 0 : GLOB_E_CLASS;
}

/* Adds the byte, the range or the class at *@text, which is within a bracket and not its end. */
static int bracket_add_member(const char **text, ByteSet *set) {
        unsigned char first, last;
        const char *name;
        size_t n;
        int r;

        name = strncmp(*text, "[:", 2) == 0 ? bracket_name(*text, &n) : NULL;
        if (name && strspn(name, "abcdefghijklmnopqrstuvwxyz") >= n) {
                *text = name + n + 2;
                return set_add_class(set, name, n);
        }
        r = bracket_read_byte(text, &first);
        if (r)
                return r;
        last = first;
        if (**text == '-' && (*text)[1] != ']') {
                (*text)++;
                r = **text ? bracket_read_byte(text, &last) : (int)GLOB_E_RANGE;
                if (r)
                        return r;
        }
        for (unsigned byte = first; byte <= last; byte++)
                set->has[byte] = true;
        return 0;
}

/* Reads the bracket at *@text into @set. Returns 0, GLOB_E_*, or BRACKET_E_OPEN. */
static int bracket_read(const char **text, ByteSet *set) {
        const bool inverted = (*text)[1] == '!' || (*text)[1] == '^';

        *text += 1 + inverted;
        for (bool first = true; first || **text != ']'; first = false) {
                int r = **text ? bracket_add_member(text, set) : BRACKET_E_OPEN;

                if (r)
                        return r;
        }
        (*text)++;
        for (unsigned byte = 1; inverted && byte < GLOB_BYTES; byte++)
                set->has[byte] = !set->has[byte];
        return 0;
}

/* ---- compiling */

/* The element that is added next takes @byte. */
static void glob_take(Glob *glob, unsigned char byte) {
        glob->takes[byte * glob->n_words + glob->n_elements / GLOB_WORD_BITS] |= UINT64_C(1)
                                                                                 << glob->n_elements % GLOB_WORD_BITS;
}

static bool glob_has_star(const Glob *glob, size_t i) {
        return glob->stars[i / GLOB_WORD_BITS] >> i % GLOB_WORD_BITS & 1;
}

/* Several stars are one. */
static void glob_add_star(Glob *glob) {
        const size_t i = glob->n_elements;

        if (i > 0 && glob_has_star(glob, i - 1))
                return;
        glob->stars[i / GLOB_WORD_BITS] |= UINT64_C(1) << i % GLOB_WORD_BITS;
        glob->n_elements++;
}

/* Adds the `?` or the byte at *@text, which a backslash may precede. Returns 0 or E_RANGE. */
static int glob_add_plain(Glob *glob, const char **text) {
        if (**text == '?')
                for (unsigned byte = 1; byte < GLOB_BYTES; byte++)
                        glob_take(glob, byte);
        *text += **text == '\\';
        if (**text == '\0')
                return GLOB_E_RANGE;
        glob_take(glob, *(*text)++);
        glob->n_elements++;
        return 0;
}

/* Adds the element at *@text, which is no star. */
static int glob_add(Glob *glob, const char **text) {
        const char *begin = *text;
        ByteSet set = {};
        int r;

        if (*begin != '[')
                return glob_add_plain(glob, text);
        r = bracket_read(text, &set);
        if (r == BRACKET_E_OPEN) {
                *text = begin;
                return glob_add_plain(glob, text);
        }
        if (r)
                return r;
        for (unsigned byte = 1; byte < GLOB_BYTES; byte++)
                if (set.has[byte])
                        glob_take(glob, byte);
        glob->n_elements++;
        return 0;
}

int glob_new(const char *pattern, Glob **ret_glob) {
        _cleanup_(glob_freep) Glob *glob = NULL;
        const size_t n = strlen(pattern), n_words = (n + 1 + GLOB_WORD_BITS - 1) / GLOB_WORD_BITS;
        const char *text = pattern;
        int r;

        if (n > GLOB_BYTES_MAX)
                return GLOB_E_TOO_LONG;
        glob = calloc(1, sizeof *glob + GLOB_BYTES * n_words * sizeof *glob->takes);
        if (!glob)
                return error_origin(-ENOMEM);
        glob->n_words = n_words;
        while (*text) {
                if (*text == '*') {
                        glob_add_star(glob);
                        text++;
                        continue;
                }
                r = glob_add(glob, &text);
                if (r)
                        return r;
        }
        *ret_glob = take_pointer(glob);
        return 0;
}

Glob *glob_free(Glob *glob) {
        free(glob);
        return NULL;
}

int glob_check(const char *pattern) {
        _cleanup_(glob_freep) Glob *glob = NULL;

        return error_trace(glob_new(pattern, &glob));
}

size_t glob_count_words(const Glob *glob) {
        return glob->n_words;
}

/* ---- matching */

/* The states after @byte: an element that takes it is passed, a star stays, and may be left at once. False: there is none. */
static bool glob_step(const Glob *glob, uint64_t states[static GLOB_WORDS_MAX], unsigned char byte) {
        const uint64_t *takes = glob->takes + byte * glob->n_words;
        uint64_t passed_before = 0, left_before = 0, any = 0;

        for (size_t i = 0; i < glob->n_words; i++) {
                const uint64_t passed = states[i] & takes[i], stay = states[i] & glob->stars[i];
                const uint64_t next = passed << 1 | passed_before | stay, leave = next & glob->stars[i];

                states[i] = next | leave << 1 | left_before;
                passed_before = passed >> (GLOB_WORD_BITS - 1);
                left_before = leave >> (GLOB_WORD_BITS - 1);
                any |= states[i];
        }
        return any != 0;
}

static bool glob_accepts(const Glob *glob, const uint64_t states[static GLOB_WORDS_MAX]) {
        return states[glob->n_elements / GLOB_WORD_BITS] >> glob->n_elements % GLOB_WORD_BITS & 1;
}

/* The part of a text that a glob has to match. */
typedef enum GlobPart {
        GLOB_WHOLE,
        GLOB_LEADING,   /* it, or a part of it that a slash follows */
        GLOB_BEGINNING, /* ... or one that goes on after it */
} GlobPart;

static bool glob_match(const Glob *glob, const char *text, GlobPart part) {
        const bool takes_rest = glob->n_elements > 0 && glob_has_star(glob, glob->n_elements - 1);
        uint64_t states[GLOB_WORDS_MAX] = { glob->stars[0] & 1 ? 3 : 1 };

        for (; *text; text++) {
                if ((takes_rest || (part != GLOB_WHOLE && *text == '/')) && glob_accepts(glob, states))
                        return true;
                if (!glob_step(glob, states, *text))
                        return false;
        }
        return part == GLOB_BEGINNING || glob_accepts(glob, states);
}

bool glob_matches(const Glob *glob, const char *text) {
        return glob_match(glob, text, GLOB_WHOLE);
}

bool glob_matches_leading(const Glob *glob, const char *text) {
        return glob_match(glob, text, GLOB_LEADING);
}

bool glob_may_match_leading(const Glob *glob, const char *text) {
        return glob_match(glob, text, GLOB_BEGINNING);
}

static bool pattern_match(const char *pattern, const char *text, GlobPart part) {
        _cleanup_(glob_freep) Glob *glob = NULL;

        return glob_new(pattern, &glob) == 0 && glob_match(glob, text, part);
}

bool glob_pattern_matches(const char *pattern, const char *text) {
        return pattern_match(pattern, text, GLOB_WHOLE);
}

bool glob_pattern_matches_leading(const char *pattern, const char *text) {
        return pattern_match(pattern, text, GLOB_LEADING);
}
