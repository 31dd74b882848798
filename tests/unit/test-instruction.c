/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An instruction for eyes has names for addresses; one for comparing is the same wherever its module was linked. */

#include "ctl/model/instruction.h"

#include <jansson.h>

#include "test.h"

typedef struct Case {
        const char *json;
        const char *printed;
        const char *normal; /* in a loop from 4096 to 4128 */
} Case;

static const Case cases[] = {
        { "{\"text\": \"ret\"}", "ret", "ret " },
        { "{\"text\": \"mov rax, qword ptr [rsp + 8]\"}", "mov    rax, qword ptr [rsp + 8]",
                        "mov rax, qword ptr [rsp + 8]" },
        { "{\"text\": \"vfmadd231pd ymm0, ymm1, ymm2\"}", "vfmadd231pd ymm0, ymm1, ymm2",
                        "vfmadd231pd ymm0, ymm1, ymm2" },
        { "{\"text\": \"call 0x1030\", \"target\": \"strlen\", \"target_address\": 4144}", "call   strlen",
                        "call strlen" },
        { "{\"text\": \"call qword ptr [rip + 0x2fe2]\", \"target\": \"strlen\"}",
                        "call   qword ptr [rip + 0x2fe2] → strlen", "call strlen" },
        { "{\"text\": \"jne 0x1000\", \"target_address\": 4096}", "jne    1000", "jne inside" },
        { "{\"text\": \"jne 0x1020\", \"target_address\": 4128}", "jne    1020", "jne outside" },
        { "{\"text\": \"lea rax, [rip + 0x2e3]\"}", "lea    rax, [rip + 0x2e3]", "lea rax, [rip ]" },
        { "{\"text\": \"mov dword ptr [rip - 0x2e3], 0x10\"}", "mov    dword ptr [rip - 0x2e3], 0x10",
                        "mov dword ptr [rip ], 0x10" },
        { "{\"text\": \"rep stosq qword ptr [rdi], rax\"}", "rep stosq qword ptr [rdi], rax",
                        "rep stosq qword ptr [rdi], rax" },
        { "{\"text\": \"rep movsb\"}", "rep movsb", "rep movsb " },
        { "{\"text\": \"xacquire lock add dword ptr [rdi], 1\"}", "xacquire lock add dword ptr [rdi], 1",
                        "xacquire lock add dword ptr [rdi], 1" },
        { "{}", "?", "? " },
};

TEST(an_instruction_is_printed_and_normalised) {
        _cleanup_(json_decrefp) json_t *loop = json_pack("{s:i, s:i}", "start", 4096, "end", 4128);

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                _cleanup_(json_decrefp) json_t *instruction = json_loads(cases[i].json, 0, NULL);
                _cleanup_(freep) char *normal = instruction_normalise(instruction, loop), *printed = NULL;
                size_t n;
                FILE *out = open_memstream(&printed, &n);

                assert_non_null(instruction);
                instruction_print(instruction, out);
                fclose(out);
                assert_string_equal(printed, cases[i].printed);
                assert_string_equal(normal, cases[i].normal);
        }
}

TEST(two_places_of_one_instruction_are_the_same) {
        _cleanup_(json_decrefp) json_t *here = json_pack("{s:s, s:i}", "text", "jne 0x1000", "target_address", 0x1000);
        _cleanup_(json_decrefp) json_t *there = json_pack("{s:s, s:i}", "text", "jne 0x2010", "target_address", 0x2010);
        _cleanup_(json_decrefp) json_t *loop_here = json_pack("{s:i, s:i}", "start", 0x1000, "end", 0x1020);
        _cleanup_(json_decrefp) json_t *loop_there = json_pack("{s:i, s:i}", "start", 0x2010, "end", 0x2030);
        _cleanup_(freep) char *a = instruction_normalise(here, loop_here),
                              *b = instruction_normalise(there, loop_there);
        _cleanup_(freep) char *c = instruction_normalise(there, loop_here);

        assert_string_equal(a, b);
        assert_string_not_equal(a, c);
}

TEST(calls_are_told_by_their_mnemonic) {
        static const struct {
                const char *text;
                bool call;
        } rows[] = { { "call 0x1030", true }, { "call rax", true }, { "mov rax, rbx", false }, { "cal", false },
                { "ret", false } };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(json_decrefp) json_t *instruction = json_pack("{s:s}", "text", rows[i].text);

                assert_int_equal(instruction_is_call(instruction), rows[i].call);
        }
}
