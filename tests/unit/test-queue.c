/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who has his turn, for how long, and who waits for it: in simulated time, in which each process takes as long as was said. */

#include "front/jobs/queue.h"

#include "random.h"
#include "util/time.h"

#define JOBS_MAX 64u
#define LOG_MAX  4096u
#define HOUR_NS  (3600 * NS_PER_S)

/* A job, as the queue's user would have it. */
typedef struct Work {
        char name;
        uid_t uid;
        uint64_t process_ns;
        unsigned left; /* processes */
        uint32_t n_cpus;
        QueuePlace place;
        uint64_t came_ns;
        uint64_t first_ns; /* when its first turn began; 0: not yet */
        uint64_t forecast_ns;
} Work;

typedef struct Simulation {
        Queue queue;
        uint64_t now_ns;
        char log[LOG_MAX]; /* the names of jobs, one a process that began */
        size_t n_log;
        Work jobs[JOBS_MAX];
        size_t n_jobs;
} Simulation;

static Simulation simulation;

static void finish(void) {
        for (size_t i = 0; i < simulation.n_jobs; i++)
                queue_remove(&simulation.queue, &simulation.jobs[i].place);
        assert_int_equal(simulation.queue.n_turns + simulation.queue.n_waiting, 0);
        queue_clear(&simulation.queue);
        assert_true(TAILQ_EMPTY(&simulation.queue.users));
}

/* Begins anew, when all that was there has left. */
static void begin(size_t most, uint64_t core_per_hour_ns) {
        finish();
        simulation = (Simulation){ .now_ns = NS_PER_S };
        queue_init(&simulation.queue, most, core_per_hour_ns);
}

/* One process at a time, unless a test begins with more. */
static int set_up(void **state) {
        simulation = (Simulation){ .now_ns = NS_PER_S };
        queue_init(&simulation.queue, 1, 0);
        return 0;
}

static int tear_down(void **state) {
        finish();
        return 0;
}

TEST_EACH(set_up, tear_down)

static void expect_of(Work *work) {
        queue_expect(&work->place, work->process_ns, work->left * work->process_ns, work->n_cpus);
}

static void join(Work *work, uint64_t number) {
        const QueueComer comer = { .uid = work->uid, .number = number, .owner = work };

        assert_int_equal(queue_add(&simulation.queue, &work->place, &comer, simulation.now_ns), 0);
        expect_of(work);
}

static Work *submit(char name, uid_t uid, uint64_t process_ns, unsigned processes) {
        Work *work = &simulation.jobs[simulation.n_jobs++];

        assert_true(simulation.n_jobs <= JOBS_MAX);
        *work = (Work){
                .name = name,
                .uid = uid,
                .process_ns = process_ns,
                .left = processes,
                .n_cpus = 1,
                .came_ns = simulation.now_ns,
        };
        join(work, simulation.n_jobs);
        return work;
}

static void begin_process(Work *work) {
        queue_note_begun(&work->place, simulation.now_ns);
        if (simulation.n_log < LOG_MAX - 1)
                simulation.log[simulation.n_log++] = work->name;
}

static void hand_out(void) {
        Work *work;

        while ((work = queue_advance(&simulation.queue, simulation.now_ns))) {
                if (work->first_ns == 0)
                        work->first_ns = simulation.now_ns;
                begin_process(work);
        }
}

static void end_process(Work *work) {
        queue_note_ended(&simulation.queue, &work->place, work->process_ns * work->n_cpus, simulation.now_ns);
        work->left--;
        expect_of(work);
        if (work->left == 0)
                queue_remove(&simulation.queue, &work->place);
        else if (queue_turn_is_over(&work->place))
                queue_yield(&simulation.queue, &work->place);
        else
                begin_process(work);
}

/* The process that ends next; NULL if none runs. */
static Work *next_to_end(void) {
        Work *next = NULL;

        for (size_t i = 0; i < simulation.n_jobs; i++) {
                Work *work = &simulation.jobs[i];

                if (work->place.began_ns > 0 &&
                                (!next || work->place.began_ns + work->process_ns <
                                                                next->place.began_ns + next->process_ns))
                        next = work;
        }
        return next;
}

/* Goes on to the end of the next process. Returns false when none runs any more. */
static bool step(void) {
        Work *work;

        hand_out();
        work = next_to_end();
        if (!work)
                return false;
        simulation.now_ns = work->place.began_ns + work->process_ns;
        end_process(work);
        hand_out();
        return true;
}

static void run_to_the_end(void) {
        while (step())
                ;
}

/* ... in which processes of the jobs of these names begin, one after the other. */
static void run_to_the_end_as(const char *names) {
        run_to_the_end();
        assert_string_equal(simulation.log, names);
}

/* ---- turns */

TEST(one_users_jobs_are_served_first_come_first_served) {
        submit('a', 1, 3 * NS_PER_S, 3);
        submit('b', 1, NS_PER_S, 3);
        submit('c', 1, 3 * NS_PER_S, 2);
        run_to_the_end_as("aaabbbcc");
}

/* One that was submitted earlier may be listed later. */
TEST(an_earlier_number_goes_before_a_later_one_that_began) {
        Work *a;

        a = submit('a', 1, 3 * NS_PER_S, 2);
        queue_remove(&simulation.queue, &a->place);
        submit('b', 1, 3 * NS_PER_S, 2);
        hand_out();
        join(a, 1);
        assert_int_equal(queue_forecast(&simulation.queue, &a->place, simulation.now_ns).own_before, 0);
        assert_int_equal(queue_forecast(&simulation.queue, &a->place, simulation.now_ns).wait_ns, 3 * NS_PER_S);
        run_to_the_end_as("baab");
}

TEST(users_take_turns_of_one_process_where_that_takes_longer_than_a_turn) {
        submit('a', 1, 60 * NS_PER_S, 3);
        submit('A', 1, 60 * NS_PER_S, 2);
        submit('b', 2, 3 * NS_PER_S, 2);
        submit('c', 3, 5 * NS_PER_S, 4);
        run_to_the_end_as("abcabcacAcA");
}

TEST(several_short_processes_fit_into_one_turn) {
        submit('a', 1, NS_PER_S / 2, 6);
        submit('b', 2, 3 * NS_PER_S / 4, 4);
        run_to_the_end_as("aaaabbaabb");
}

TEST(cores_count_and_not_only_time) {
        submit('a', 1, NS_PER_S / 2, 3)->n_cpus = 4;
        submit('b', 2, NS_PER_S / 2, 5)->n_cpus = 2;
        run_to_the_end_as("abbabbab");
}

TEST(one_alone_goes_on_and_was_not_interrupted) {
        Work *a, *b;

        a = submit('a', 1, 3 * NS_PER_S, 4);
        step();
        step();
        assert_int_equal(a->place.turn, 3);
        assert_false(a->place.interrupted);
        b = submit('b', 2, NS_PER_S, 1);
        step();
        assert_true(b->place.has_turn);
        step();
        assert_true(a->place.has_turn);
        assert_true(a->place.interrupted);
}

TEST(each_user_has_a_core_where_there_are_two) {
        begin(2, 0);
        submit('a', 1, 4 * NS_PER_S, 2);
        submit('A', 1, 4 * NS_PER_S, 2);
        submit('c', 1, 4 * NS_PER_S, 1);
        hand_out();
        assert_string_equal(simulation.log, "aA");
        submit('b', 2, 4 * NS_PER_S, 2);
        step(); /* a turn of the first ends */
        assert_string_equal(simulation.log, "aAb");
        run_to_the_end_as("aAbaAbc");
}

TEST(two_users_with_a_core_each_do_not_interrupt_each_other) {
        Work *a, *b;

        begin(2, 0);
        a = submit('a', 1, 4 * NS_PER_S, 3);
        b = submit('b', 2, 3 * NS_PER_S, 4);
        for (int i = 0; i < 4; i++) {
                step();
                assert_false(a->place.interrupted || b->place.interrupted);
        }
}

/* One user has eight jobs of a day each, the next one some, and then a newcomer comes at any time. */
TEST(a_newcomer_waits_for_at_most_a_turn_of_each_other_user) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < 300; i++) {
                uint64_t bound_ns = 0;
                const unsigned n_users = 1 + gsl_rng_uniform_int(random, 10);
                Work *newcomer;

                begin(1, gsl_rng_uniform_int(random, 2) ? 1800 * NS_PER_S : 0);
                for (unsigned user = 1; user <= n_users; user++) {
                        const uint64_t longest_ns = (1 + gsl_rng_uniform_int(random, 600)) * NS_PER_S / 10;
                        const unsigned n_jobs = 1 + gsl_rng_uniform_int(random, 5);

                        bound_ns += longest_ns > QUEUE_TURN_NS ? longest_ns : QUEUE_TURN_NS;
                        for (unsigned job = 0; job < n_jobs; job++)
                                submit('a', user, longest_ns / (1 + gsl_rng_uniform_int(random, 4)), 86400);
                }
                for (unsigned steps = gsl_rng_uniform_int(random, 50); steps > 0; steps--)
                        step();
                newcomer = submit('n', 100, NS_PER_S, 1);
                while (newcomer->first_ns == 0)
                        step();
                assert_true(newcomer->first_ns - newcomer->came_ns <= bound_ns);
        }
}

/* ---- a bound for each user */

TEST(a_user_has_so_many_turns_at_once_and_leaves_the_others_theirs) {
        begin(6, 0);
        simulation.queue.most_of_user = 4;
        for (int i = 0; i < 8; i++)
                submit('a', 1, 3 * NS_PER_S, 1);
        hand_out();
        assert_string_equal(simulation.log, "aaaa");
        submit('b', 2, 3 * NS_PER_S, 1);
        hand_out();
        assert_string_equal(simulation.log, "aaaab");
        run_to_the_end_as("aaaabaaaa");
}

TEST(a_turn_that_ends_goes_to_who_has_the_fewest) {
        begin(4, 0);
        simulation.queue.most_of_user = 4;
        for (int i = 0; i < 6; i++)
                submit('a', 1, 3 * NS_PER_S, 1);
        hand_out();
        submit('b', 2, 3 * NS_PER_S, 1);
        submit('B', 2, 3 * NS_PER_S, 1);
        submit('c', 3, 3 * NS_PER_S, 1);
        run_to_the_end_as("aaaabcBaa");
}

/* However many there are at once, and whatever jobs of whatever length the others have. */
TEST(a_newcomer_sees_each_other_user_begin_one_process_at_most) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < 300; i++) {
                const unsigned n_users = 1 + gsl_rng_uniform_int(random, 12);
                unsigned n_begun['z' + 1] = {};
                Work *newcomer;
                size_t came;

                begin(1 + gsl_rng_uniform_int(random, 8), 0);
                simulation.queue.most_of_user = gsl_rng_uniform_int(random, 5);
                for (unsigned job = 0; job < 5 * n_users; job++)
                        submit('a' + job % n_users, job % n_users,
                                        (30 + gsl_rng_uniform_int(random, 300)) * NS_PER_S / 10, 100);
                for (unsigned steps = gsl_rng_uniform_int(random, 50); steps > 0; steps--)
                        step();
                came = simulation.n_log;
                newcomer = submit('z', 100, NS_PER_S, 1);
                while (newcomer->first_ns == 0)
                        step();
                for (size_t begun = came; simulation.log[begun] != 'z'; begun++)
                        assert_int_equal(++n_begun[(size_t)simulation.log[begun]], 1);
        }
}

/* ---- who leaves */

TEST(who_leaves_in_the_middle_of_a_turn_leaves_it_to_the_next) {
        Work *a, *b;

        a = submit('a', 1, NS_PER_S / 2, 100);
        submit('A', 1, NS_PER_S, 1);
        b = submit('b', 2, NS_PER_S, 1);
        step();
        assert_true(a->place.has_turn);
        queue_remove(&simulation.queue, &a->place);
        queue_remove(&simulation.queue, &a->place);
        assert_false(queue_is_waiting(&a->place));
        hand_out();
        assert_true(b->place.has_turn);
        run_to_the_end_as("aabA");
}

TEST(who_leaves_while_he_waits_takes_nobodys_turn) {
        Work *b, *c;

        submit('a', 1, 3 * NS_PER_S, 2);
        b = submit('b', 2, NS_PER_S, 1);
        c = submit('c', 3, 3 * NS_PER_S, 2);
        hand_out();
        queue_remove(&simulation.queue, &b->place);
        queue_remove(&simulation.queue, &b->place);
        step();
        assert_true(c->place.has_turn);
        step();
        assert_true(queue_is_waiting(&c->place));
        queue_remove(&simulation.queue, &c->place); /* between its turns */
        run_to_the_end_as("aca");
}

TEST(who_comes_again_and_again_stands_behind_the_others_each_time) {
        submit('a', 1, 3 * NS_PER_S, 1);
        submit('b', 2, 3 * NS_PER_S, 3);
        submit('c', 3, 3 * NS_PER_S, 3);
        for (int i = 0; i < 4; i++) {
                step();
                if (simulation.log[simulation.n_log - 1] == 'b')
                        submit('a', 1, 3 * NS_PER_S, 1);
        }
        run_to_the_end_as("abcabcabc");
}

/* ---- accounts */

TEST(who_has_used_up_his_hour_waits_for_all_others_and_is_not_refused) {
        begin(1, 600 * NS_PER_S);
        submit('a', 1, 300 * NS_PER_S, 5);
        submit('b', 2, NS_PER_S, 8);
        submit('B', 2, NS_PER_S, 4);
        for (int i = 0; i < 3; i++)
                step();
        assert_string_equal(simulation.log, "abba");
        step(); /* 600 s are used, of which some came back */
        assert_true(queue_core_left_ns(&simulation.queue, 1, simulation.now_ns) > 0);
        run_to_the_end_as("abbabbabbbbBBBBaa");
}

TEST(an_account_empties_evenly_and_outlives_the_jobs) {
        begin(1, 600 * NS_PER_S);
        submit('a', 1, 600 * NS_PER_S, 1);
        run_to_the_end();
        assert_int_equal(queue_core_left_ns(&simulation.queue, 1, simulation.now_ns), 0);
        assert_int_equal(queue_core_left_ns(&simulation.queue, 2, simulation.now_ns), 600 * NS_PER_S);
        assert_int_equal(queue_core_left_ns(&simulation.queue, 1, simulation.now_ns + HOUR_NS / 2), 300 * NS_PER_S);
        assert_int_equal(queue_core_left_ns(&simulation.queue, 1, simulation.now_ns + HOUR_NS), 600 * NS_PER_S);
        assert_int_equal(queue_core_left_ns(&simulation.queue, 1, simulation.now_ns + 9 * HOUR_NS), 600 * NS_PER_S);
        submit('b', 1, NS_PER_S, 1);
        submit('c', 2, NS_PER_S, 1);
        run_to_the_end_as("acb");

        simulation.now_ns += 3 * HOUR_NS;
        submit('d', 3, NS_PER_S, 1); /* which forgets those who owe nothing */
        assert_ptr_equal(TAILQ_FIRST(&simulation.queue.users), simulation.jobs[3].place.user);
}

TEST(root_and_who_has_no_limit_have_no_account) {
        begin(1, 600 * NS_PER_S);
        submit('r', 0, 900 * NS_PER_S, 3);
        submit('b', 2, NS_PER_S, 4);
        run_to_the_end_as("rbbrbbr");
        assert_true(queue_core_left_ns(&simulation.queue, 0, simulation.now_ns) == UINT64_MAX);

        begin(1, 0);
        submit('a', 1, 900 * NS_PER_S, 3);
        submit('b', 2, NS_PER_S, 4);
        run_to_the_end_as("abbabba");
        assert_true(queue_core_left_ns(&simulation.queue, 1, simulation.now_ns) == UINT64_MAX);
}

/* ---- the forecast */

TEST(a_forecast_counts_the_turns_before_and_their_time) {
        QueueForecast forecast;
        Work *b, *B, *c;

        submit('a', 1, 10 * NS_PER_S, 3);
        hand_out();
        simulation.now_ns += 4 * NS_PER_S;
        b = submit('b', 2, NS_PER_S / 2, 8);
        B = submit('B', 2, NS_PER_S, 1);
        c = submit('c', 3, 5 * NS_PER_S, 2);

        forecast = queue_forecast(&simulation.queue, &b->place, simulation.now_ns);
        assert_true(forecast.known);
        assert_int_equal(forecast.wait_ns, 6 * NS_PER_S);
        assert_int_equal(forecast.turns_before, 1);
        assert_int_equal(forecast.jobs_before, 1);
        assert_int_equal(forecast.own_before, 0);

        forecast = queue_forecast(&simulation.queue, &c->place, simulation.now_ns);
        assert_int_equal(forecast.wait_ns, 8 * NS_PER_S); /* ... and the turn of b */
        assert_int_equal(forecast.turns_before, 2);
        assert_int_equal(forecast.jobs_before, 2);

        forecast = queue_forecast(&simulation.queue, &B->place, simulation.now_ns);
        assert_int_equal(forecast.own_before, 1);
        assert_int_equal(forecast.wait_ns, (6 + 2 * 2 + 2 * 10 + 2 * 5) * NS_PER_S);

        forecast = queue_forecast_next(&simulation.queue, 4, simulation.now_ns);
        assert_int_equal(forecast.wait_ns, (6 + 2 + 5) * NS_PER_S); /* the first is behind him by then */
        assert_int_equal(forecast.turns_before, 3);
}

TEST(nobody_knows_how_long_a_process_takes_that_is_overdue) {
        Work *b;

        submit('a', 1, 10 * NS_PER_S, 1);
        b = submit('b', 2, NS_PER_S, 1);
        hand_out();
        assert_true(queue_forecast(&simulation.queue, &b->place, simulation.now_ns + 15 * NS_PER_S).known);
        assert_int_equal(queue_forecast(&simulation.queue, &b->place, simulation.now_ns + 15 * NS_PER_S).wait_ns, 0);
        assert_false(queue_forecast(&simulation.queue, &b->place, simulation.now_ns + 60 * NS_PER_S).known);
}

TEST(who_is_over_his_budget_is_told_so_and_foresees_all_others_before_him) {
        QueueForecast forecast;
        Work *b;

        begin(1, 600 * NS_PER_S);
        submit('a', 1, 700 * NS_PER_S, 1);
        run_to_the_end();
        submit('c', 2, 3 * NS_PER_S, 10);
        submit('C', 2, 3 * NS_PER_S, 2);
        b = submit('b', 1, NS_PER_S, 1);
        forecast = queue_forecast(&simulation.queue, &b->place, simulation.now_ns);
        assert_true(forecast.over_budget);
        assert_int_equal(forecast.wait_ns, 36 * NS_PER_S);
        assert_int_equal(forecast.jobs_before, 2);
        forecast = queue_forecast_next(&simulation.queue, 3, simulation.now_ns);
        assert_false(forecast.over_budget);
        assert_int_equal(forecast.wait_ns, 3 * NS_PER_S);
}

/* Where times are as expected and nobody comes later, the first in a line waits as long as was foreseen. */
TEST(what_is_foreseen_comes_true_for_who_is_first_in_his_line) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < 300; i++) {
                const unsigned n_users = 2 + gsl_rng_uniform_int(random, 8);

                begin(1, 0);
                for (unsigned user = 1; user <= n_users; user++)
                        submit('a', user, (1 + gsl_rng_uniform_int(random, 80)) * NS_PER_S / 10,
                                        1 + gsl_rng_uniform_int(random, 30));
                for (unsigned steps = gsl_rng_uniform_int(random, 40); steps > 0; steps--)
                        step();
                for (size_t job = 0; job < simulation.n_jobs; job++) {
                        Work *work = &simulation.jobs[job];

                        work->came_ns = simulation.now_ns;
                        if (queue_is_waiting(&work->place))
                                work->forecast_ns = queue_forecast(&simulation.queue, &work->place, simulation.now_ns)
                                                                    .wait_ns;
                        work->first_ns = queue_is_waiting(&work->place) ? 0 : 1;
                }
                run_to_the_end();
                for (size_t job = 0; job < simulation.n_jobs; job++) {
                        const Work *work = &simulation.jobs[job];
                        const int64_t waited_ns = work->first_ns - work->came_ns;

                        if (work->first_ns > 1)
                                assert_true(llabs(waited_ns - (int64_t)work->forecast_ns) <= 1000);
                }
        }
}
