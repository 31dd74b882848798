/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/instruction.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

#define MNEMONIC_WIDTH 6

typedef struct Words {
        const char *mnemonic;
        int n_mnemonic;
        const char *operands; /* empty: none */
} Words;

/* The length of the prefix that @text begins with, a separate word. */
static size_t prefix_length(const char *text) {
        static const char *const prefixes[] = { "rep ", "repe ", "repne ", "lock ", "bnd ", "notrack ", "xacquire ",
                "xrelease " };

        for (size_t i = 0; i < N_ELEMENTS(prefixes); i++)
                if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
                        return strlen(prefixes[i]);
        return 0;
}

static Words words_of(const json_t *instruction) {
        Words words = { .mnemonic = json_text_or(instruction, "text", "?") };
        size_t n_prefix = 0, n;

        while ((n = prefix_length(words.mnemonic + n_prefix)) > 0)
                n_prefix += n;
        words.n_mnemonic = (int)(n_prefix + strcspn(words.mnemonic + n_prefix, " \t"));
        words.operands = words.mnemonic + words.n_mnemonic;
        words.operands += strspn(words.operands, " \t");
        return words;
}

static bool is_address(const char *operands) {
        return isdigit((unsigned char)*operands) && operands[strcspn(operands, " ,[")] == '\0';
}

void instruction_print(const json_t *instruction, FILE *out) {
        const Words words = words_of(instruction);
        const char *target = json_text_at(instruction, "target");
        double address;

        if (!*words.operands) {
                fprintf(out, "%.*s", words.n_mnemonic, words.mnemonic);
                return;
        }
        fprintf(out, "%-*.*s ", MNEMONIC_WIDTH, words.n_mnemonic, words.mnemonic);
        if (target && is_address(words.operands))
                fputs(target, out);
        else if (target)
                fprintf(out, "%s → %s", words.operands, target);
        else if (is_address(words.operands) && json_number_at(instruction, "target_address", &address))
                fprintf(out, "%llx", (unsigned long long)address);
        else
                fputs(words.operands, out);
}

/* ---- comparing */

/* The offset of what lies elsewhere in the module changes with the place of either. */
static void print_without_offsets(const char *operands, FILE *out) {
        static const char relative[] = "[rip ";

        while (*operands) {
                fputc(*operands, out);
                if (strncmp(operands, relative, strlen(relative)) == 0) {
                        fputs(relative + 1, out);
                        operands += strcspn(operands, "]");
                } else
                        operands++;
        }
}

bool instruction_jumps_into(const json_t *instruction, const json_t *loop) {
        double address, start, end;

        return json_number_at(instruction, "target_address", &address) && json_number_at(loop, "start", &start) &&
               json_number_at(loop, "end", &end) && address >= start && address < end;
}

char *instruction_normalise(const json_t *instruction, const json_t *loop) {
        const Words words = words_of(instruction);
        const char *target = json_text_at(instruction, "target");
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        fprintf(out, "%.*s ", words.n_mnemonic, words.mnemonic);
        if (instruction_jumps_into(instruction, loop))
                fputs("inside", out);
        else if (target)
                fputs(target, out);
        else if (is_address(words.operands) && json_at(instruction, "target_address"))
                fputs("outside", out);
        else
                print_without_offsets(words.operands, out);
        return text_stream_take(&text);
}

bool instruction_in_loop(const json_t *instruction) {
        return json_flag_at(instruction, "in_loop");
}

bool instruction_is_call(const json_t *instruction) {
        const Words words = words_of(instruction);

        return words.n_mnemonic >= 4 && strncmp(words.mnemonic, "call", 4) == 0;
}
