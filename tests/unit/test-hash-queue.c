/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files are hashed right, a slice at a time; users take turns, and each user's files come in their order. */

#include "launch/trust/hash-queue.h"

#include <nettle/sha2.h>
#include <systemd/sd-event.h>

#include "random.h"

#define FILES_MAX 32u

typedef struct File {
        int fd;
        HashTask *task;
        size_t n_slices; /* that it takes, its end among them */
        unsigned turn;   /* in which it was told; 0: it was not */
        uint8_t sha256[HASH_BYTES];
} File;

static struct Fixture {
        sd_event *event;
        HashQueue *queue;
        File files[FILES_MAX];
        size_t n;
        unsigned turn;
} fixture;

static int set_up(void **state) {
        fixture = (struct Fixture){};
        assert_true(sd_event_new(&fixture.event) >= 0);
        assert_int_equal(hash_queue_new(fixture.event, &fixture.queue), 0);
        return 0;
}

static int tear_down(void **state) {
        for (size_t i = 0; i < fixture.n; i++) {
                hash_task_free(fixture.files[i].task);
                fd_close(fixture.files[i].fd);
        }
        hash_queue_free(fixture.queue);
        sd_event_unref(fixture.event);
        return 0;
}

TEST_EACH(set_up, tear_down)

static void on_hash(void *userdata, int r, const uint8_t sha256[HASH_BYTES]) {
        File *file = userdata;

        assert_int_equal(r, 0);
        assert_int_equal(file->turn, 0);
        file->task = NULL;
        file->turn = fixture.turn;
        memcpy(file->sha256, sha256, HASH_BYTES);
}

static File *add(uid_t uid, size_t n_bytes) {
        File *file = &fixture.files[fixture.n++];

        assert_true(fixture.n <= FILES_MAX);
        *file = (File){ .fd = memfd_create("file", MFD_CLOEXEC), .n_slices = n_bytes / HASH_SLICE_BYTES + 1 };
        assert_true(file->fd >= 0);
        assert_int_equal(ftruncate(file->fd, n_bytes), 0);
        assert_int_equal(hash_queue_add(fixture.queue, uid, file->fd, on_hash, file, &file->task), 0);
        return file;
}

/* True if there was something to do. */
static bool take_turn(void) {
        fixture.turn++;
        return sd_event_run(fixture.event, 0) > 0;
}

TEST(a_file_is_hashed_whole) {
        static const size_t sizes[] = { 0, 1, HASH_SLICE_BYTES - 1, HASH_SLICE_BYTES, HASH_SLICE_BYTES + 1 };
        uint8_t *zeros = calloc(1, HASH_SLICE_BYTES + 1);

        assert_non_null(zeros);
        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                File *file = add(i, sizes[i]);
                struct sha256_ctx whole;
                uint8_t expected[HASH_BYTES];

                while (take_turn())
                        ;
                sha256_init(&whole);
                sha256_update(&whole, sizes[i], zeros);
                sha256_digest(&whole, sizeof expected, expected);
                assert_memory_equal(file->sha256, expected, HASH_BYTES);
        }
        free(zeros);
}

/* However much others have there before, and go on to add. */
TEST(a_user_waits_for_one_slice_of_each_other_user) {
        enum {
                OTHERS = 3
        };
        unsigned begun;
        File *file;

        for (size_t i = 0; i < 4 * OTHERS; i++)
                add(1 + i % OTHERS, 20 * HASH_SLICE_BYTES);
        for (size_t i = 0; i < 10; i++)
                assert_true(take_turn());
        file = add(1 + OTHERS, 3 * HASH_SLICE_BYTES);
        begun = fixture.turn;
        while (file->turn == 0) {
                assert_true(take_turn());
                if (fixture.turn % 4 == 0 && fixture.n < FILES_MAX)
                        add(1, 20 * HASH_SLICE_BYTES);
        }
        assert_true(file->turn - begun <= (OTHERS + 1) * file->n_slices);
}

TEST(the_files_of_a_user_come_in_their_order_whatever_others_do) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        File *of_user[FILES_MAX];
        size_t n = 0;

        for (size_t i = 0; i < FILES_MAX; i++) {
                const bool own = gsl_rng_uniform_int(random, 2);
                File *file = add(own ? 7 : gsl_rng_uniform_int(random, 4),
                                gsl_rng_uniform_int(random, 6 * HASH_SLICE_BYTES));

                if (own)
                        of_user[n++] = file;
                if (gsl_rng_uniform_int(random, 2))
                        (void)take_turn();
        }
        while (take_turn())
                ;
        for (size_t i = 1; i < n; i++)
                assert_true(of_user[i - 1]->turn < of_user[i]->turn);
        for (size_t i = 0; i < fixture.n; i++)
                assert_true(fixture.files[i].turn > 0);
}

TEST(one_that_is_taken_back_is_not_told_of) {
        File *first = add(1, 4 * HASH_SLICE_BYTES), *second = add(1, 0);

        assert_true(take_turn());
        first->task = hash_task_free(first->task);
        while (take_turn())
                ;
        assert_int_equal(first->turn, 0);
        assert_true(second->turn > 0);
}
