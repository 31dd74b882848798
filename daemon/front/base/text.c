/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define TEXT_REPLACEMENT "\xef\xbf\xbd"

typedef struct TextRange {
        uint32_t first;
        uint32_t last;
} TextRange;

/* Codes that a terminal obeys, or a reader cannot see. */
static const TextRange text_forbidden[] = {
        { 0x00, 0x1f },     /* controls */
        { 0x7f, 0x9f },     /* delete, and the second set of controls */
        { 0x200b, 0x200f }, /* zero width, directions */
        { 0x2028, 0x202e }, /* line and paragraph, directions */
        { 0x2066, 0x2069 }, /* isolates */
        { 0xfeff, 0xfeff }, /* byte order mark */
        { 0xfff9, 0xfffb }, /* interlinear annotation */
};

static bool text_allowed(uint32_t code) {
        for (size_t i = 0; i < N_ELEMENTS(text_forbidden); i++)
                if (code >= text_forbidden[i].first && code <= text_forbidden[i].last)
                        return false;
        return true;
}

/* The length of the sequence that @lead begins, and the bits of the code in it; 0 if none begins so. */
static size_t utf8_lead(uint8_t lead, uint32_t *ret_code) {
        if (lead < 0x80)
                return *ret_code = lead, 1;
        if (lead >= 0xc2 && lead <= 0xdf)
                return *ret_code = lead & 0x1f, 2;
        if (lead >= 0xe0 && lead <= 0xef)
                return *ret_code = lead & 0x0f, 3;
        if (lead >= 0xf0 && lead <= 0xf4)
                return *ret_code = lead & 0x07, 4;
        return 0;
}

/* Reads one character (RFC 3629: shortest form, no surrogates). Returns its length, 0 if there is none. */
static size_t utf8_read(const char *text, size_t n, uint32_t *ret_code) {
        static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
        uint32_t code;
        size_t length = utf8_lead(*text, &code);

        if (length == 0 || length > n)
                return 0;
        for (size_t i = 1; i < length; i++) {
                if ((text[i] & 0xc0) != 0x80)
                        return 0;
                code = code << 6 | (text[i] & 0x3f);
        }
        if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
                return 0;
        *ret_code = code;
        return length;
}

static size_t text_put(char *out, const char *text, size_t n) {
        memcpy(out, text, n);
        return n;
}

size_t text_clean(const char *text, size_t n, bool lines, char *ret_clean) {
        size_t n_clean = 0;

        for (size_t i = 0; i < n;) {
                uint32_t code = 0;
                size_t length = utf8_read(text + i, n - i, &code);

                if (code == '\n' || code == '\t')
                        ret_clean[n_clean++] = lines ? (char)code : ' ';
                else if (length > 0 && text_allowed(code))
                        n_clean += text_put(ret_clean + n_clean, text + i, length);
                else
                        n_clean += text_put(ret_clean + n_clean, TEXT_REPLACEMENT, strlen(TEXT_REPLACEMENT));
                i += length > 0 ? length : 1;
        }
        ret_clean[n_clean] = 0;
        return n_clean;
}

char *text_clean_copy(const char *text) {
        const size_t n = strlen(text);
        char *clean = malloc(TEXT_GROWTH * n + 1);

        if (clean)
                text_clean(text, n, false, clean);
        return clean;
}
