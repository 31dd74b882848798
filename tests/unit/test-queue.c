/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who has his turn, and who waits for it at which place. */

#include "front/jobs/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char a[] = "a", b[] = "b", c[] = "c";

static void first_come_first_served_one_at_a_time(void **state) {
        QueuePlace places[3];
        Queue queue;

        queue_init(&queue, 1);
        assert_null(queue_advance(&queue));
        queue_add(&queue, &places[0], a);
        queue_add(&queue, &places[1], b);
        queue_add(&queue, &places[2], c);
        assert_int_equal(queue_position(&queue, &places[2]), 2);
        assert_ptr_equal(queue_advance(&queue), a);
        assert_null(queue_advance(&queue));
        assert_int_equal(queue_position(&queue, &places[2]), 2);
        queue_remove(&queue, &places[0]);
        assert_int_equal(queue_position(&queue, &places[2]), 1);
        assert_ptr_equal(queue_advance(&queue), b);
        queue_remove(&queue, &places[1]);
        assert_ptr_equal(queue_advance(&queue), c);
}

static void who_leaves_while_he_waits_takes_nobodys_turn(void **state) {
        QueuePlace places[3];
        Queue queue;

        queue_init(&queue, 1);
        queue_add(&queue, &places[0], a);
        queue_add(&queue, &places[1], b);
        queue_add(&queue, &places[2], c);
        assert_ptr_equal(queue_advance(&queue), a);
        queue_remove(&queue, &places[1]);
        queue_remove(&queue, &places[1]);
        assert_null(queue_advance(&queue));
        queue_remove(&queue, &places[0]);
        queue_remove(&queue, &places[0]);
        assert_ptr_equal(queue_advance(&queue), c);
        assert_null(queue_advance(&queue));
}

static void as_many_have_their_turn_at_once_as_somebody_chose(void **state) {
        QueuePlace places[3];
        Queue queue;

        queue_init(&queue, 2);
        queue_add(&queue, &places[0], a);
        queue_add(&queue, &places[1], b);
        queue_add(&queue, &places[2], c);
        assert_ptr_equal(queue_advance(&queue), a);
        assert_ptr_equal(queue_advance(&queue), b);
        assert_null(queue_advance(&queue));
        assert_int_equal(queue_position(&queue, &places[2]), 2);
        queue_remove(&queue, &places[0]);
        assert_ptr_equal(queue_advance(&queue), c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(first_come_first_served_one_at_a_time),
                cmocka_unit_test(who_leaves_while_he_waits_takes_nobodys_turn),
                cmocka_unit_test(as_many_have_their_turn_at_once_as_somebody_chose),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
