/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Bodies with threads of their own, of each make: started in the loop, kept in a pool from the constructor, the set-up or
 * the loop on, spinning, and asleep. All but the last hand half of their work to another thread.
 */

#include <benchd/bench.h>

#include <linux/magic.h>
#include <sys/vfs.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <sched.h>
#include <string.h>
#include <thread>
#include <threads.h>
#include <unistd.h>

static uint64_t work(uint64_t turns) {
        uint64_t x = turns;

        for (uint64_t i = 0; i < turns; i++) {
                x *= 6364136223846793005u;
                bench_opaque(x);
        }
        return x;
}

#define TURNS 100000u

BENCH(thread_in_loop) {
        bench_loop(b) {
                uint64_t half = 0;
                std::thread other([&half] { half = work(TURNS); });

                bench_use(work(TURNS));
                other.join();
                bench_use(half);
        }
}

BENCH(async_in_loop) {
        bench_loop(b) {
                auto half = std::async(std::launch::async, work, TURNS);

                bench_use(work(TURNS));
                bench_use(half.get());
        }
}

static int work_of_c11(void *half) {
        *static_cast<uint64_t *>(half) = work(TURNS);
        return 0;
}

BENCH(c11_in_loop) {
        bench_loop(b) {
                uint64_t half = 0;
                thrd_t other;

                if (thrd_create(&other, work_of_c11, &half) != thrd_success)
                        bench_fail(b, "thrd_create");
                bench_use(work(TURNS));
                thrd_join(other, NULL);
                bench_use(half);
        }
}

namespace {
class Pool {
      public:
        Pool() : thread([this] { serve(); }) {
        }
        ~Pool() {
                {
                        std::lock_guard<std::mutex> locked(lock);
                        over = true;
                }
                asked.notify_all();
                thread.join();
        }
        uint64_t halve() {
                uint64_t own;

                {
                        std::lock_guard<std::mutex> locked(lock);
                        n_asked++;
                }
                asked.notify_one();
                own = work(TURNS);
                std::unique_lock<std::mutex> locked(lock);
                done.wait(locked, [this] { return n_done == n_asked; });
                return own + half;
        }

      private:
        std::mutex lock;
        std::condition_variable asked, done;
        uint64_t n_asked = 0, n_done = 0, half = 0;
        bool over = false;
        std::thread thread;

        void serve() {
                std::unique_lock<std::mutex> locked(lock);

                for (;;) {
                        asked.wait(locked, [this] { return over || n_done < n_asked; });
                        if (over)
                                return;
                        locked.unlock();
                        uint64_t result = work(TURNS);
                        locked.lock();
                        half = result;
                        n_done++;
                        done.notify_one();
                }
        }
};
} // namespace

BENCH(pool_of_setup) {
        Pool pool;

        bench_loop(b)
                bench_use(pool.halve());
}

BENCH(pool_of_loop) {
        Pool *pool = nullptr;

        bench_loop(b) {
                if (!pool)
                        pool = new Pool;
                bench_use(pool->halve());
        }
        delete pool;
}

static Pool pool_of_module;

BENCH(pool_of_constructor) {
        bench_loop(b)
                bench_use(pool_of_module.halve());
}

#ifdef _OPENMP
BENCH(openmp) {
        bench_loop(b) {
# pragma omp parallel for
                for (int i = 0; i < 2; i++)
                        bench_use(work(TURNS));
        }
}

static __attribute__((noinline)) void share_out(uint64_t turns) {
# pragma omp parallel for
        for (int i = 0; i < 2; i++)
                bench_use(work(turns));
}

BENCH(openmp_in_a_function) {
        bench_loop(b)
                share_out(TURNS);
}

BENCH(serial) {
        uint64_t x = 3;

        bench_loop(b) {
                x *= 5;
                bench_opaque(x);
        }
}
#endif

BENCH(spinning) {
        std::atomic<uint64_t> asked{ 0 }, answered{ 0 };
        std::atomic<bool> over{ false };
        std::thread other([&] {
                for (uint64_t seen = 0; !over;)
                        if (asked != seen) {
                                bench_use(work(TURNS));
                                answered = ++seen;
                        }
        });

        bench_loop(b) {
                asked++;
                bench_use(work(TURNS));
                while (answered != asked)
                        ;
        }
        over = true;
        other.join();
}

/* ---- threads that sleep */

static std::atomic<bool> stop;
static std::mutex never_lock;
static std::condition_variable never;

static void wake_now_and_then() {
        while (!stop)
                usleep(2000);
}

static void wait_to_be_told() {
        std::unique_lock<std::mutex> locked(never_lock);

        never.wait(locked, [] { return stop.load(); });
}

static void run_beside(struct bench *b, void (*thread)()) {
        std::thread(thread).detach();
        bench_loop(b)
                bench_use(work(100));
}

BENCH(timer_asleep) {
        run_beside(b, wake_now_and_then);
}

BENCH(background_asleep) {
        run_beside(b, wait_to_be_told);
}

/* ---- what it finds */

static std::atomic<int> mask_of_thread;

static int count_mask() {
        cpu_set_t set;

        return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

static bool online_is_covered() {
        struct statfs found;

        return statfs("/sys/devices/system/cpu/online", &found) == 0 && found.f_type == TMPFS_MAGIC;
}

static const int mask_of_constructor = count_mask();

BENCH(finds) {
        const int mask_of_setup = count_mask();

        bench_loop(b)
                std::thread([] { mask_of_thread = count_mask(); }).join();
        bench_counter(b, "constructor", mask_of_constructor);
        bench_counter(b, "setup", mask_of_setup);
        bench_counter(b, "thread", mask_of_thread);
        bench_counter(b, "hardware_concurrency", std::thread::hardware_concurrency());
        bench_counter(b, "online_is_covered", online_is_covered());
        bench_counter(b, "policy", sched_getscheduler(0) & ~SCHED_RESET_ON_FORK);
}
