/* SPDX-License-Identifier: MIT */

/*
 * locks: the C library's means of synchronising threads, free and contended.
 *
 * glibc avoids locked instructions in a process that never had a second thread. Unless they say otherwise, rows have had one, as
 * programs have that need a lock.
 */

#include <benchd/bench.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

BENCH_AREA(locks, .about = "mutexes and other locks of the C library, free and contended");
BENCH_EMBED_SOURCE;

static void *thread_that_ends(void *argument) {
        return argument;
}

/* From here on the process counts as one of several threads. */
static void have_had_a_thread(struct bench *b) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, thread_that_ends, NULL))
                bench_skip(b, "no thread could be started");
        pthread_join(thread, NULL);
}

/* ---- mutexes */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

BENCH(mutex, .about = "free: limited by the locked instructions of lock and unlock") {
        have_had_a_thread(b);
        bench_loop(b) {
                BENCH_REPEAT10(pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex));
        }
}

BENCH(mutex_single_threaded,
                .about = "free, in a process of one thread: limited by two calls, whose locked instructions are left out") {
        bench_loop(b) {
                BENCH_REPEAT10(pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex));
        }
}

BENCH(mutex_recursive,
                .about = "held already, taken again: limited by two calls and a count, without a locked instruction") {
        static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

        have_had_a_thread(b);
        pthread_mutex_lock(&recursive);
        bench_loop(b) {
                BENCH_REPEAT10(pthread_mutex_lock(&recursive); pthread_mutex_unlock(&recursive));
        }
        pthread_mutex_unlock(&recursive);
}

BENCH(mutex_try, .hidden = 1, .about = "free: limited by the locked instructions of trylock and unlock") {
        have_had_a_thread(b);
        bench_loop(b) {
                BENCH_REPEAT10(pthread_mutex_trylock(&mutex); pthread_mutex_unlock(&mutex));
        }
}

BENCH(mutex_try_held, .about = "in vain: limited by the call and the read that finds the mutex held") {
        have_had_a_thread(b);
        pthread_mutex_lock(&mutex);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(pthread_mutex_trylock(&mutex)));
        }
        pthread_mutex_unlock(&mutex);
}

BENCH(mutex_contended, .threads = BENCH_THREADS(2),
                .about = "two threads that hold it for an instant: limited by the cache line's way, or by sleep and wake-up") {
        static int64_t guarded;

        bench_loop(b) {
                pthread_mutex_lock(&mutex);
                guarded++;
                pthread_mutex_unlock(&mutex);
        }
}

/* ---- spinlocks */

static pthread_spinlock_t spinlock;

static void spinlock_set_up(struct bench *b) {
        if (pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE))
                bench_fail(b, "no spinlock");
}

BENCH(spinlock, .setup = spinlock_set_up,
                .about = "free: limited by the one locked instruction; the unlock is a plain store") {
        bench_loop(b) {
                BENCH_REPEAT10(pthread_spin_lock(&spinlock); pthread_spin_unlock(&spinlock));
        }
}

BENCH(spinlock_contended, .setup = spinlock_set_up, .threads = BENCH_THREADS(2),
                .about = "two threads that hold it for an instant: limited by the way of its cache line from core to core") {
        static int64_t guarded;

        bench_loop(b) {
                pthread_spin_lock(&spinlock);
                guarded++;
                pthread_spin_unlock(&spinlock);
        }
}

/* ---- locks for readers and writers, semaphores */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

BENCH(rwlock_read, .about = "free: limited by the locked instructions of both calls") {
        have_had_a_thread(b);
        bench_loop(b) {
                BENCH_REPEAT10(pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock));
        }
}

BENCH(rwlock_write, .about = "free: limited by the locked instructions of both calls") {
        have_had_a_thread(b);
        bench_loop(b) {
                BENCH_REPEAT10(pthread_rwlock_wrlock(&rwlock); pthread_rwlock_unlock(&rwlock));
        }
}

BENCH(rwlock_read_contended, .threads = BENCH_THREADS(2),
                .about = "two readers: limited by the way of the cache line that counts them") {
        bench_loop(b) {
                pthread_rwlock_rdlock(&rwlock);
                pthread_rwlock_unlock(&rwlock);
        }
}

BENCH(semaphore, .about = "post and wait without a waiter: limited by the locked instruction of each") {
        sem_t semaphore;

        if (sem_init(&semaphore, 0, 0))
                bench_fail(b, "no semaphore");
        have_had_a_thread(b);
        bench_loop(b) {
                BENCH_REPEAT10(sem_post(&semaphore); sem_wait(&semaphore));
        }
        sem_destroy(&semaphore);
}

/* ---- once, conditions */

static void do_nothing(void) {
}

BENCH(pthread_once, .about = "that was done before: limited by a call and a read") {
        static pthread_once_t once = PTHREAD_ONCE_INIT;

        bench_loop(b) {
                BENCH_REPEAT10(pthread_once(&once, do_nothing));
        }
}

BENCH(call_once, .hidden = 1, .about = "C11's, that was done before: limited by a call and a read") {
        static once_flag once = ONCE_FLAG_INIT;

        bench_loop(b) {
                BENCH_REPEAT10(call_once(&once, do_nothing));
        }
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

BENCH(condition_signal, .about = "nobody waits: limited by a call and a read") {
        have_had_a_thread(b);
        bench_loop(b) {
                BENCH_REPEAT10(pthread_cond_signal(&condition));
        }
}

BENCH(condition_broadcast, .hidden = 1, .about = "nobody waits: limited by a call and a read") {
        have_had_a_thread(b);
        bench_loop(b) {
                BENCH_REPEAT10(pthread_cond_broadcast(&condition));
        }
}
