/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The page of a benchmark's machine code: the loop marked, the source between, within any width, and in ASCII. */

#include "ctl/show/report.h"

#include <jansson.h>

#include "ctl/base/typeset.h"
#include "ctl/show/show.h"
#include "test.h"

static const char code_text[] =
                "{\"module\": {\"compiler\": \"gcc 12.2.0\"}, \"benchmark\": {\"area\": \"strings\", \"name\": \"length\","
                "\"file\": \"dir/len.c\", \"line\": 7, \"empty\": false, \"calls\": [{\"kind\": \"output\", \"function\": \"printf\","
                "\"through\": \"helper\"}], \"loop\": {\"function\": \"bench_body_length\", \"start\": 4112, \"end\": 4128,"
                "\"line_offset\": 16, \"instructions\": 4}},"
                "\"sources\": [{\"name\": \"dir/len.c\", \"lines\": {\"9\": \"bench_use(strlen(a_string_whose_name_is_quite_long_indeed_yes));\"}},"
                "{\"name\": \"/usr/include/benchd/bench.h\", \"lines\": {}}],"
                "\"functions\": [{\"name\": \"bench_body_length\", \"address\": 4096, \"instructions\": ["
                "{\"address\": 4096, \"bytes\": \"53\", \"text\": \"push rbx\", \"in_loop\": false, \"timed\": false},"
                "{\"address\": 4112, \"bytes\": \"90\", \"text\": \"call 0x1030\", \"in_loop\": true, \"timed\": true,"
                "\"target\": \"strlen\", \"source\": 0, \"line\": 9},"
                "{\"address\": 4116, \"bytes\": \"90\", \"text\": \"nop\", \"in_loop\": true, \"timed\": true, \"source\": 0, \"line\": 9},"
                "{\"address\": 4118, \"bytes\": \"90\", \"text\": \"nop\", \"in_loop\": false, \"timed\": false},"
                "{\"address\": 4120, \"bytes\": \"90\", \"text\": \"rdtsc\", \"in_loop\": true, \"timed\": false, \"source\": 1, \"line\": 12},"
                "{\"address\": 4124, \"bytes\": \"90\", \"text\": \"jne 0x1010\", \"in_loop\": true, \"timed\": true, \"target_address\": 4112},"
                "{\"address\": 4128, \"bytes\": \"c3\", \"text\": \"ret\", \"in_loop\": false, \"timed\": false}]}],"
                "\"cuts\": [\"There are more instructions than a reply takes.\"], \"limit\": null}";

static const char page[] =
                "strings/length, len.c:7, gcc 12.2.0\n"
                "The timed loop has 4 instructions in 16 bytes, from 1010, which as linked is byte 16 of a cache line, "
                "in bench_body_length.\n"
                "It calls printf (output, through helper).\n"
                "\n"
                "bench_body_length:\n"
                "    1000  push   rbx\n"
                "len.c:9: bench_use(strlen(a_string_whose_name_is_quite_long_indeed_yes));\n"
                "┌   1010  call   strlen\n"
                "│   1014  nop\n"
                "    1016  nop\n"
                "bench.h:12\n"
                "┊   1018  rdtsc\n"
                "└   101c  jne    1010\n"
                "    1020  ret\n"
                "\n"
                "warning: There are more instructions than a reply takes.\n";

static char *printed(const View *view) {
        _cleanup_(json_decrefp) json_t *code = json_loads(code_text, 0, NULL);
        char *text;
        size_t n;
        FILE *out = open_memstream(&text, &n);

        assert_non_null(code);
        assert_int_equal(show_print(show_find("table"), SHOW_CODE, code, view, out), 0);
        fclose(out);
        return text;
}

/* Spaces before a number differ with its width. */
static void squeeze(char *text) {
        char *to = text;

        for (; *text; text++)
                if (*text != ' ' || to[-1] != ' ')
                        *to++ = *text;
        *to = '\0';
}

TEST(the_page_has_all_that_is_known) {
        _cleanup_(freep) char *text = printed(&(View){}), *expected = strdup(page);

        squeeze(text);
        squeeze(expected);
        assert_string_equal(text, expected);
}

TEST(no_line_is_wider_than_the_terminal) {
        for (unsigned width = 20; width < 120; width++) {
                _cleanup_(freep) char *text = printed(&(View){ .width = width });

                for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                        if (typeset_width(line) > width)
                                fail_msg("%zu columns of %u: %s", typeset_width(line), width, line);
        }
}

TEST(a_terminal_without_utf8_gets_ascii) {
        _cleanup_(freep) char *text = printed(&(View){ .ascii = true });

        for (const char *c = text; *c; c++)
                assert_true((unsigned char)*c < 0x80);
        assert_null(strchr(text, '?'));
        assert_non_null(strstr(text, "\n,   1010  call"));
        assert_non_null(strstr(text, "\n`   101c  jne"));
}

TEST(the_details_have_the_bytes) {
        _cleanup_(freep) char *text = printed(&(View){ .details = true });

        assert_non_null(strstr(text, "  c3 "));
}
