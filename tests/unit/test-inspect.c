/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * An inspection ends with a valid block, whatever became of the file: cut short anywhere, or with its headers changed.
 */

#include "inspect/inspect.h"

#include <elf.h>

#include "test.h"
#include "tests/unit/test-paths.h"

static unsigned char *module;
static size_t n_module;
static InspectionBlock *block;

/* Inspects the first @n bytes of @bytes, and checks that the end is told and the block valid. Returns how it ended. */
static RunnerEnd inspect(const unsigned char *bytes, size_t n, const char *benchmark) {
        int fd;

        assert_int_equal(fd_memfd_sealed("module", bytes, n, &fd), 0);
        memset(block, 0, sizeof *block);
        block->head.magic = SAMPLE_BLOCK_MAGIC;
        block->head.version = SAMPLE_BLOCK_VERSION;
        inspect_module(fd, "", benchmark, block);
        close(fd);
        assert_int_not_equal(block->head.end, RUNNER_END_NONE);
        assert_int_equal(inspection_block_check(block), 0);
        return block->head.end;
}

static const InspectionEntry *find(const char *name) {
        for (uint32_t i = 0; i < block->n_entries; i++)
                if (strcmp(block->entries[i].name, name) == 0)
                        return &block->entries[i];
        fail_msg("there is no %s", name);
        return NULL;
}

TEST(each_loop_is_found) {
        assert_int_equal(inspect(module, n_module, ""), RUNNER_END_COMPLETE);
        assert_int_equal(block->n_entries, 14);
        for (uint32_t i = 0; i < block->n_entries; i++)
                assert_true(block->entries[i].loop.n_instructions > 0);
        assert_int_equal(find("lost")->loop.empty, INSPECTION_YES);
        assert_int_equal(find("product")->loop.empty, INSPECTION_NO);
        assert_int_equal(find("unseen")->loop.empty, INSPECTION_NO);
        assert_true(find("unseen")->loop.counting && !find("inner")->loop.counting && !find("lost")->loop.counting);
        assert_string_equal(find("gulps")->calls[INSPECTION_CALL_INPUT].function, "read");
        assert_string_equal(find("gulps")->calls[INSPECTION_CALL_INPUT].through, "helper");
        assert_string_equal(find("chatty_before")->calls[INSPECTION_CALL_OUTPUT].function, "");
}

TEST(a_benchmark_that_is_not_there_is_an_end_of_its_own) {
        assert_int_equal(inspect(module, n_module, "nosuch"), RUNNER_END_NO_SUCH_BENCHMARK);
        assert_int_equal(inspect(module, n_module, "product"), RUNNER_END_COMPLETE);
        assert_int_equal(block->n_entries, 1);
        assert_true(block->n_instructions > 0 && block->first_line == 1);
}

TEST(a_file_that_is_cut_short_ends_in_order) {
        for (size_t n = 1; n < n_module; n += n_module / 150)
                (void)inspect(module, n, "product");
}

/* Fills each word of the @n bytes at @offset with ones in turn. */
static void change_each_word(size_t offset, size_t n) {
        for (size_t i = 0; i + 4 <= n; i += 4) {
                unsigned char was[4];

                memcpy(was, module + offset + i, sizeof was);
                memset(module + offset + i, 0xff, sizeof was);
                (void)inspect(module, n_module, "product");
                memcpy(module + offset + i, was, sizeof was);
        }
}

TEST(changed_headers_end_in_order) {
        Elf64_Ehdr header;

        memcpy(&header, module, sizeof header);
        change_each_word(0, sizeof header);
        change_each_word(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
        change_each_word(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
}

static int set_up(void **state) {
        int fd = open(INSPECTED_MODULE, O_RDONLY | O_CLOEXEC);
        struct stat status;

        block = malloc(sizeof *block);
        if (fd < 0 || fstat(fd, &status) < 0 || !block)
                return -1;
        n_module = status.st_size;
        module = malloc(n_module);
        if (!module || read(fd, module, n_module) != (ssize_t)n_module)
                return -1;
        close(fd);
        return 0;
}

static int tear_down(void **state) {
        free(module);
        free(block);
        return 0;
}

TEST_FILE(set_up, tear_down)
