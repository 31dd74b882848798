/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A module is recalled as it was stored, byte for byte and sealed, a slice at a time; a damaged one is refused and removed.
 */

#include "front/history/module-recall.h"

#include "front/history/module-store.h"
#include "kept-history.h"
#include "proto/benchd.pb-c.h"

#define LONG  ((2u << 20) + 5) /* three slices */
#define LARGE ((size_t)64 << 20)

static ModuleStore *store;
static ReplyError why;

static int set_up(void **state) {
        directory_make(directory);
        shares_make();
        kept_history_make(NULL, 0);
        assert_int_equal(module_store_new(directory, (ModuleStoreQuota){ 4 * LARGE, 4 * LARGE }, history, shares,
                                         &store),
                        0);
        return 0;
}

static int tear_down(void **state) {
        store = module_store_free(store);
        return kept_history_remove();
}

TEST_EACH(set_up, tear_down)

static void fill(uint8_t *data, size_t n, uint8_t first) {
        for (size_t i = 0; i < n; i++)
                data[i] = first + i * 7 + i / 4093;
}

static void hash(SealedModule *module) {
        while (sealed_module_hash(module) == SEALED_MODULE_E_MORE) {
        }
}

/* A module of LONG bytes with a library of 10, both kept. */
static SealedModule *keep(void) {
        static uint8_t data[LONG];
        _cleanup_(module_store_draft_freep) ModuleStoreDraft *draft = NULL;
        SealedModule *module;
        int fds[2];

        fill(data, LONG, 1);
        assert_int_equal(fd_memfd_sealed("module", data, LONG, &fds[0]), 0);
        assert_int_equal(fd_memfd_sealed("library", data + 1, 10, &fds[1]), 0);
        assert_int_equal(sealed_module_new(fds, 2, NULL, &module, &why), 0);
        hash(module);
        assert_int_equal(module_store_draft_new(store, 1000, module, &draft), 0);
        while (module_store_draft_step(draft, 1) == MODULE_STORE_E_MORE) {
        }
        return module;
}

/* The result of a job that measured a module of this hash, with a library unless that is NULL. */
static Benchd__RunResult *earlier_of(const char *sha256, const char *library_sha256) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT, *unpacked;
        Benchd__Module module = BENCHD__MODULE__INIT;
        Benchd__Library library = BENCHD__LIBRARY__INIT, *libraries[] = { &library };
        uint8_t packed[512];

        library.name = (char *)"libown.so";
        library.sha256 = (char *)library_sha256;
        library.has_preloaded = true;
        library.preloaded = true;
        module.name = (char *)"m.so";
        module.sha256 = (char *)sha256;
        module.libraries = libraries;
        module.n_libraries = library_sha256 != NULL;
        result.run_id = (char *)"0123456789abcdef0123456789abcdef";
        result.module = &module;
        assert_true(benchd__run_result__get_packed_size(&result) <= sizeof packed);
        unpacked = benchd__run_result__unpack(NULL, benchd__run_result__pack(&result, packed), packed);
        assert_non_null(unpacked);
        return unpacked;
}

static uid_t uid = 1000; /* who recalls */

static int recall_of(const char *sha256, const char *library_sha256, ModuleRecall **ret_recall) {
        return module_recall_new_of(store, uid, earlier_of(sha256, library_sha256), 2, ret_recall, &why);
}

static void copy_all(ModuleRecall *recall) {
        int r;

        do
                r = module_recall_step(recall, &why);
        while (r == MODULE_RECALL_E_MORE);
        assert_int_equal(r, 0);
}

static void path_of(const SealedModule *module, size_t i, char ret_path[static 128]) {
        snprintf(ret_path, 128, "%s/%s", directory, sealed_module_sha256(module, i));
}

static bool is_kept(const SealedModule *module, size_t i) {
        char path[128];

        path_of(module, i, path);
        return access(path, F_OK) == 0;
}

/* ---- */

TEST(what_is_recalled_is_what_was_kept_and_sealed) {
        _cleanup_(sealed_module_freep) SealedModule *kept = keep(), *again = NULL;
        _cleanup_(module_recall_freep) ModuleRecall *recall = NULL;
        char **names;
        size_t n;
        int *fds;

        assert_int_equal(recall_of(sealed_module_sha256(kept, 0), sealed_module_sha256(kept, 1), &recall), 0);
        assert_string_equal(module_recall_module_name(recall), "m.so");
        names = module_recall_library_names(recall, &n);
        assert_int_equal(n, 1);
        assert_string_equal(names[0], "libown.so");
        assert_int_equal(module_recall_preloaded(recall), 1);

        for (size_t i = 0; i < 3; i++)
                assert_int_equal(module_recall_step(recall, &why), MODULE_RECALL_E_MORE);
        assert_int_equal(module_recall_step(recall, &why), 0);
        assert_int_equal(module_recall_step(recall, &why), 0);

        fds = module_recall_fds(recall, &n);
        assert_int_equal(sealed_module_new(fds, n, NULL, &again, &why), 0);
        hash(again);
        assert_int_equal(module_recall_check(recall, again, &why), 0);
        for (size_t i = 0; i < 2; i++) {
                assert_int_equal(sealed_module_size(again, i), sealed_module_size(kept, i));
                assert_string_equal(sealed_module_sha256(again, i), sealed_module_sha256(kept, i));
        }
}

TEST(what_goes_while_it_is_copied_is_copied_all_the_same) {
        _cleanup_(sealed_module_freep) SealedModule *kept = keep(), *again = NULL;
        _cleanup_(module_recall_freep) ModuleRecall *recall = NULL;
        size_t n;
        int *fds;

        assert_int_equal(recall_of(sealed_module_sha256(kept, 0), NULL, &recall), 0);
        module_store_discard(store, sealed_module_sha256(kept, 0));
        assert_false(is_kept(kept, 0));
        copy_all(recall);
        fds = module_recall_fds(recall, &n);
        assert_int_equal(sealed_module_new(fds, n, NULL, &again, &why), 0);
        hash(again);
        assert_string_equal(sealed_module_sha256(again, 0), sealed_module_sha256(kept, 0));
}

TEST(a_part_that_is_gone_is_named) {
        _cleanup_(sealed_module_freep) SealedModule *kept = keep();
        ModuleRecall *recall;

        module_store_discard(store, sealed_module_sha256(kept, 1));
        assert_int_equal(recall_of(sealed_module_sha256(kept, 0), sealed_module_sha256(kept, 1), &recall),
                        MODULE_RECALL_E_BAD);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__NOT_FOUND);
        assert_non_null(strstr(why.message, "its library libown.so is no longer stored"));
}

TEST(another_byte_is_found_out_and_the_file_goes) {
        _cleanup_(sealed_module_freep) SealedModule *kept = keep(), *again = NULL;
        _cleanup_(module_recall_freep) ModuleRecall *recall = NULL;
        char path[128];
        size_t n;
        int *fds, fd;

        path_of(kept, 0, path);
        fd = open(path, O_WRONLY);
        assert_int_equal(pwrite(fd, "\xff\xff", 2, LONG - 2), 2);
        close(fd);
        assert_int_equal(recall_of(sealed_module_sha256(kept, 0), sealed_module_sha256(kept, 1), &recall), 0);
        copy_all(recall);
        fds = module_recall_fds(recall, &n);
        assert_int_equal(sealed_module_new(fds, n, NULL, &again, &why), 0);
        hash(again);
        assert_int_equal(module_recall_check(recall, again, &why), MODULE_RECALL_E_BAD);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__LOST);
        assert_false(is_kept(kept, 0));
        assert_true(is_kept(kept, 1));
}

TEST(a_stored_hash_that_is_none_opens_no_file) {
        static const char *const names[] = { "", "../history.db", ".", "0123" };
        ModuleRecall *recall;

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                assert_int_equal(recall_of(names[i], NULL, &recall), MODULE_RECALL_E_BAD);
                assert_int_equal(why.code, BENCHD__ERROR__CODE__NOT_FOUND);
        }
        assert_int_equal(recall_of(NULL, NULL, &recall), MODULE_RECALL_E_BAD);
}

TEST(no_user_is_lent_more_at_once_than_its_share) {
        char name[65], path[128];
        ModuleRecall *mine, *others, *one;
        int fd;

        memset(name, 'a', 64);
        name[64] = 0;
        snprintf(path, sizeof path, "%s/%s", directory, name);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert_int_equal(ftruncate(fd, LARGE), 0);
        close(fd);
        store = module_store_free(store); /* the next one finds the file */
        assert_int_equal(module_store_new(directory, (ModuleStoreQuota){ 4 * LARGE, 4 * LARGE }, history, shares,
                                         &store),
                        0);

        assert_int_equal(recall_of(name, NULL, &mine), 0);
        assert_int_equal(recall_of(name, NULL, &one), MODULE_RECALL_E_BAD);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__BUSY);
        uid = 1001;
        assert_int_equal(recall_of(name, NULL, &others), 0);
        uid = 1000;
        mine = module_recall_free(mine);
        assert_int_equal(recall_of(name, NULL, &mine), 0);
        module_recall_free(mine);
        module_recall_free(others);
}
