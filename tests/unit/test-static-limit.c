/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The static limit: what of a loop reaches the assembler, and what its answers mean. */

#include "ctl/ask/static-limit.h"

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "test.h"

/* 100: set-up; 110 to 130: the loop, a pause in it; 118: a loop within. */
static const char code_text[] =
                "{\"benchmark\": {\"loop\": {\"start\": 272, \"end\": 304}}, \"functions\": [{\"instructions\": ["
                "{\"address\": 256, \"text\": \"push rbx\", \"in_loop\": false, \"timed\": false},"
                "{\"address\": 272, \"text\": \"mov rdi, qword ptr [rsp + 8]\", \"in_loop\": true, \"timed\": true},"
                "{\"address\": 276, \"text\": \"call 0x1030\", \"in_loop\": true, \"timed\": true, \"target\": \"strlen\"},"
                "{\"address\": 276, \"text\": \"call 0x1030\", \"in_loop\": true, \"timed\": true, \"target\": \"strlen\"},"
                "{\"address\": 280, \"text\": \"add rax, 3\", \"in_loop\": true, \"timed\": true},"
                "{\"address\": 284, \"text\": \"rdtsc\", \"in_loop\": true, \"timed\": false},"
                "{\"address\": 288, \"text\": \"jb 0x118\", \"in_loop\": true, \"timed\": true, \"target_address\": 280},"
                "{\"address\": 292, \"text\": \"jne 0x110\", \"in_loop\": true, \"timed\": true, \"target_address\": 272},"
                "{\"address\": 304, \"text\": \"ret\", \"in_loop\": false, \"timed\": false}]}]}";

static const char answer_text[] =
                "{\"CodeRegions\": [{\"SummaryView\": {\"BlockRThroughput\": 1.5, \"Iterations\": 100, \"TotalCycles\": 458,"
                "\"TotaluOps\": 900}}], \"TargetInfo\": {\"CPUName\": \"%s\", \"Resources\": [\"Zn3Load.\\u0000\"]}}";

static json_t *parsed(const char *text) {
        json_t *json = json_loads(text, 0, NULL);

        assert_non_null(json);
        return json;
}

static void program_of(StaticProgram *program) {
        _cleanup_(json_decrefp) json_t *code = parsed(code_text);

        assert_int_equal(static_program_new(code, program), 0);
}

TEST(the_timed_instructions_of_the_loop_are_passed_on_without_calls) {
        _cleanup_(static_program_clear) StaticProgram program = {};

        program_of(&program);
        assert_string_equal(program.text, ".intel_syntax noprefix\n.Lplace:\nmov rdi, qword ptr [rsp + 8]\nadd rax, 3\n"
                                          "jb .Lplace\njne .Lplace\n");
        assert_int_equal(program.n, 4);
        assert_true(program.inner_loop);
        assert_int_equal(json_array_size(program.left_out), 1);
        assert_string_equal(json_string_value(json_array_get(program.left_out, 0)), "strlen");
}

TEST(without_a_loop_there_is_no_program) {
        _cleanup_(json_decrefp) json_t *code = parsed("{\"benchmark\": {\"loop\": null}, \"functions\": []}");
        _cleanup_(static_program_clear) StaticProgram program = {};

        assert_int_equal(static_program_new(code, &program), STATIC_LIMIT_E_NONE);
}

/* A directive could include any file, and a separator begin one. */
TEST(nothing_but_an_instruction_reaches_the_assembler) {
        static const char *const strange[] = { ".incbin \"/etc/passwd\"", "nop; .incbin x", "nop\n.include x",
                "nop # x", "# x", "/* x */", "nop /* x", "", " .org 0", "label: .byte 1", "mov rax, \"x\"", "\x01" };
        static const char *const plain[] = { "nop",
                "vaddpd zmm0 {k1} {z}, zmm1, zmmword ptr [rax + rbx*8 - 0x40]{1to8}", "rep stosq qword ptr [rdi], rax",
                "mov rax, qword ptr fs:[0x28]", "lock xadd dword ptr [rdi], eax" };

        for (size_t i = 0; i < N_ELEMENTS(strange); i++) {
                _cleanup_(json_decrefp) json_t *instruction = json_pack("{s:s}", "text", strange[i]);
                _cleanup_(freep) char *line = static_program_line(instruction);

                if (line)
                        fail_msg("'%s' passes", strange[i]);
        }
        for (size_t i = 0; i < N_ELEMENTS(plain); i++) {
                _cleanup_(json_decrefp) json_t *instruction = json_pack("{s:s}", "text", plain[i]);
                _cleanup_(freep) char *line = static_program_line(instruction);

                assert_string_equal(line, plain[i]);
        }
}

TEST(branches_go_to_a_label) {
        static const char *const rows[][2] = {
                { "jne 0x1a60", "jne .Lplace" },
                { "bnd jmp 0x1a60", "bnd jmp .Lplace" },
                { "jmp 6752", "jmp .Lplace" },
                { "jmp qword ptr [rip + 8]", "jmp qword ptr [rip + 8]" },
                { "jmp rax", "jmp rax" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(json_decrefp) json_t *instruction = json_pack("{s:s}", "text", rows[i][0]);
                _cleanup_(freep) char *line = static_program_line(instruction);

                assert_string_equal(line, rows[i][1]);
        }
}

static json_t *limit_of(const char *cpu) {
        _cleanup_(static_program_clear) StaticProgram program = {};
        char printed[512];

        program_of(&program);
        snprintf(printed, sizeof printed, answer_text, cpu);
        return static_limit_read(&program, printed, "");
}

TEST(its_figures_are_of_an_iteration) {
        _cleanup_(json_decrefp) json_t *limit = limit_of("icelake-client");
        double number;

        assert_null(json_at(limit, "problem"));
        assert_string_equal(json_text_at(limit, "cpu"), "icelake-client");
        assert_true(json_number_at(limit, "cycles", &number) && number == 4.58);
        assert_true(json_number_at(limit, "throughput_cycles", &number) && number == 1.5);
        assert_true(json_number_at(limit, "micro_operations", &number) && number == 9);
        assert_true(json_number_at(limit, "instructions", &number) && number == 4);
        assert_true(json_flag_at(limit, "inner_loop"));
}

TEST(a_model_of_no_cpu_is_none) {
        static const char *const names[] = { "generic", "x86-64", "x86-64-v3" };

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                _cleanup_(json_decrefp) json_t *limit = limit_of(names[i]);

                assert_string_equal(json_text_at(limit, "problem"), "llvm-mca does not know this CPU.");
                assert_null(json_at(limit, "cycles"));
        }
}

TEST(a_refused_instruction_is_named) {
        _cleanup_(static_program_clear) StaticProgram program = {};
        _cleanup_(json_decrefp) json_t *limit = NULL;

        program_of(&program);
        limit = static_limit_read(&program, "",
                        "warning: x\n<stdin>:4:1: error: invalid instruction mnemonic 'add'\nadd rax, 3\n^~~\n");
        assert_string_equal(json_text_at(limit, "problem"),
                        "llvm-mca refuses the instruction 'add rax, 3': invalid instruction mnemonic 'add'.");
}

TEST(an_answer_that_is_none_is_told) {
        static const char *const answers[] = { "", "{", "[]", "{\"CodeRegions\": []}" };
        _cleanup_(static_program_clear) StaticProgram program = {};

        program_of(&program);
        for (size_t i = 0; i < N_ELEMENTS(answers); i++) {
                _cleanup_(json_decrefp) json_t *limit = static_limit_read(&program, answers[i], "");

                assert_string_equal(json_text_at(limit, "problem"), "llvm-mca printed nothing that can be read.");
        }
}
