/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Kernel threads are moved off what is leased, and back. The machine is laid out: what it calls a thread of the kernel is
 * this process, so that an affinity really changes.
 */

#include "launch/lease/kernel-threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "machine.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"

#define KERNEL 0x00200000u
#define BOUND  0x04000000u

static cpu_set_t before;

static int note_affinity(void **state) {
        return sched_getaffinity(0, sizeof before, &before);
}

static int give_back_affinity(void **state) {
        return sched_setaffinity(0, sizeof before, &before);
}

static void put_process(const Machine *machine, int pid, unsigned flags) {
        char path[64], text[256];

        snprintf(path, sizeof path, "proc/%d/stat", pid);
        snprintf(text, sizeof text, "%d (a (name) S 2 0 0 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 4711 0", pid, flags);
        machine_put(machine, path, text);
}

/* As a child of kthreadd, beside one that is gone by now. */
static void put_self(const Machine *machine, unsigned flags) {
        char text[64];

        put_process(machine, 2, KERNEL);
        put_process(machine, getpid(), flags);
        snprintf(text, sizeof text, "3 %d ", getpid());
        machine_put(machine, "proc/2/task/2/children", text);
}

/* Leases the highest CPU that this process may use; the lowest is left. */
static void lease_highest(cpu_set_t *leased, cpu_set_t *others) {
        CPU_ZERO(leased);
        CPU_ZERO(others);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &before)) {
                        if (CPU_COUNT(others) == 0)
                                CPU_SET(cpu, others);
                        CPU_ZERO(leased);
                        CPU_SET(cpu, leased);
                }
}

static bool is_off(const cpu_set_t *leased) {
        cpu_set_t now;

        assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
        CPU_AND(&now, &now, leased);
        return CPU_COUNT(&now) == 0;
}

TEST(what_can_be_moved_is_off_the_leased_cpus_until_it_is_put_back, note_affinity, give_back_affinity) {
        _cleanup_(machine_freep) Machine *machine = NULL;
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        KernelThreads threads;
        RestoreHands hands = {};
        cpu_set_t leased, others, now;

        lease_highest(&leased, &others);
        if (CPU_EQUAL(&leased, &others))
                skip();
        machine = machine_new();
        put_self(machine, KERNEL);
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        for (int i = 0; i < 2; i++) {
                assert_int_equal(kernel_threads_move(machine->root, journal, &leased, &others, &threads), 0);
                assert_true(threads.known);
                assert_int_equal(threads.n_moved, 1);
                assert_int_equal(threads.n_refused, 0);
                assert_true(is_off(&leased));
        }
        assert_int_equal(restore_journal_count(journal), 1);
        restore_thread_mask_hand(machine->root, &hands.hands[RESTORE_THREAD_MASK]);
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
        assert_true(CPU_EQUAL(&now, &before));
        assert_int_equal(restore_journal_count(journal), 0);
}

TEST(what_is_bound_to_its_cpu_or_not_the_kernels_stays, note_affinity, give_back_affinity) {
        static const unsigned flags[] = { KERNEL | BOUND, 0, BOUND };
        cpu_set_t leased, others, now;

        lease_highest(&leased, &others);
        for (size_t i = 0; i < N_ELEMENTS(flags); i++) {
                _cleanup_(machine_freep) Machine *machine = machine_new();
                _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
                KernelThreads threads;

                put_self(machine, flags[i]);
                assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
                assert_int_equal(kernel_threads_move(machine->root, journal, &leased, &others, &threads), 0);
                assert_int_equal(threads.n_moved, 0);
                assert_int_equal(restore_journal_count(journal), 0);
                assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
                assert_true(CPU_EQUAL(&now, &before));
        }
}

static void assert_nothing_moves(const Machine *machine, bool known) {
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        cpu_set_t leased, others, now;
        KernelThreads threads;

        lease_highest(&leased, &others);
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(kernel_threads_move(machine->root, journal, &leased, &others, &threads), 0);
        assert_int_equal(threads.known, known);
        assert_int_equal(threads.n_moved, 0);
        assert_int_equal(threads.n_refused, 0);
        assert_int_equal(restore_journal_count(journal), 0);
        assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
        assert_true(CPU_EQUAL(&now, &before));
}

/* A user can have any number of processes, and each look at one takes time that others wait. */
TEST(processes_that_the_kernel_does_not_list_as_its_threads_are_not_looked_at, note_affinity, give_back_affinity) {
        _cleanup_(machine_freep) Machine *machine = machine_new();

        put_self(machine, KERNEL);
        machine_put(machine, "proc/2/task/2/children", "3 4 ");
        assert_nothing_moves(machine, true);
}

TEST(a_kernel_that_does_not_list_its_threads_is_told, note_affinity, give_back_affinity) {
        _cleanup_(machine_freep) Machine *machine = machine_new();

        put_process(machine, 2, KERNEL);
        put_process(machine, getpid(), KERNEL);
        assert_nothing_moves(machine, false);
}

/* In a namespace of processes, process 2 can be anybody's, with any number of children. */
TEST(a_process_with_the_number_of_kthreadd_is_not_taken_for_it, note_affinity, give_back_affinity) {
        _cleanup_(machine_freep) Machine *machine = machine_new();

        put_self(machine, KERNEL);
        put_process(machine, 2, 0);
        assert_nothing_moves(machine, false);
}

typedef struct Mover {
        cpu_set_t sets[2];
        atomic_bool stops;
} Mover;

/* Another daemon, which moves the thread to and fro. */
static void *mover_run(void *userdata) {
        Mover *mover = userdata;

        for (unsigned i = 0; !atomic_load(&mover->stops); i++)
                (void)sched_setaffinity(getpid(), sizeof mover->sets[0], &mover->sets[i % 2]);
        return NULL;
}

/* It is to go to a CPU that no machine here has, which the kernel refuses as it does for lack of rights. */
TEST(one_that_cannot_be_moved_is_not_noted_though_somebody_else_moves_it, note_affinity, give_back_affinity) {
        _cleanup_(machine_freep) Machine *machine = NULL;
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        KernelThreads threads;
        cpu_set_t none;
        Mover mover = {};
        pthread_t thread;

        lease_highest(&mover.sets[0], &mover.sets[1]);
        if (CPU_EQUAL(&mover.sets[0], &mover.sets[1]))
                skip();
        machine = machine_new();
        CPU_ZERO(&none);
        CPU_SET(CPU_SETSIZE - 1, &none);
        put_self(machine, KERNEL);
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(pthread_create(&thread, NULL, mover_run, &mover), 0);
        for (int i = 0; i < 2000; i++) {
                assert_int_equal(kernel_threads_move(machine->root, journal, &before, &none, &threads), 0);
                assert_int_equal(threads.n_refused, 1);
                assert_int_equal(restore_journal_count(journal), 0);
        }
        atomic_store(&mover.stops, true);
        assert_int_equal(pthread_join(thread, NULL), 0);
}
