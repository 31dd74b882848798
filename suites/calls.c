/* SPDX-License-Identifier: MIT */

/*
 * calls: a function's call and return, by the way in which the call finds its target.
 *
 * The functions are empty or nearly so. They are not inlined, and their arguments stay, since empty assembly uses them. The virtual
 * call stands in calls_virtual.cc.
 */

#include <benchd/bench.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <setjmp.h>
#include <stdarg.h>

BENCH_AREA(calls, .about = "a function's call and return, by the way in which the call finds its target");
BENCH_EMBED_SOURCE;

/* The compiler knows nothing of the function at its calls, not even which registers it leaves alone. */
#ifdef __clang__
# define NOT_INLINED __attribute__((noinline))
#else
# define NOT_INLINED __attribute__((noipa))
#endif

static NOT_INLINED void empty_function(void) {
        __asm__ volatile("");
}

BENCH(call_empty, .reference = 1,
                .about = "direct call of an empty function: limited by the branch unit, a call and a return") {
        bench_loop(b) {
                BENCH_REPEAT10(empty_function());
        }
}

static NOT_INLINED void function_of_five(int64_t v, int64_t w, int64_t x, int64_t y, int64_t z) {
        __asm__ volatile("" : : "r"(v), "r"(w), "r"(x), "r"(y), "r"(z));
}

BENCH(call_5_arguments, .about = "limited by a call and a return, while five moves into registers fit beside them") {
        int64_t v = 1, w = 2, x = 3, y = 4, z = 5;

        bench_opaque(v);
        bench_opaque(w);
        bench_opaque(x);
        bench_opaque(y);
        bench_opaque(z);
        bench_loop(b) {
                BENCH_REPEAT10(function_of_five(v, w, x, y, z));
        }
}

BENCH(call_pointer, .about = "limited by a call and a return, for the target is always the same and so predicted") {
        void (*function)(void) = empty_function;

        bench_loop(b) {
                BENCH_REPEAT10(bench_opaque(function); function());
        }
}

static NOT_INLINED void first_of_table(void) {
        __asm__ volatile("# first");
}
static NOT_INLINED void second_of_table(void) {
        __asm__ volatile("# second");
}
static NOT_INLINED void third_of_table(void) {
        __asm__ volatile("# third");
}
static NOT_INLINED void fourth_of_table(void) {
        __asm__ volatile("# fourth");
}

BENCH(call_pointer_table,
                .about = "four functions in turn: limited by a call and a return, once the predictor knows the order") {
        void (*const table[])(void) = { first_of_table, second_of_table, third_of_table, fourth_of_table };
        void (*const *functions)(void) = table;
        unsigned i = 0;

        bench_opaque(functions);
        bench_loop(b) {
                BENCH_REPEAT10(functions[i++ % 4](); bench_opaque(i));
        }
}

BENCH(call_plt, .about = "a function of the C library: limited by a call, a jump through the PLT and a return") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(gnu_get_libc_version()));
        }
}

BENCH(call_dlsym, .about = "the function of call_plt by dlsym's pointer: limited by a call and a return") {
        const char *(*function)(void);

        *(void **)&function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
        if (!function)
                bench_skip(b, "the C library has no gnu_get_libc_version");
        bench_loop(b) {
                BENCH_REPEAT10(bench_opaque(function); bench_use(function()));
        }
}

static inline __attribute__((always_inline)) int64_t inlined_add(int64_t x, int64_t y) {
        return x + y;
}

BENCH(call_inlined, .about = "an inlined function: no call is left, only its addition of one cycle") {
        int64_t x = 1, y = 2;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(x = inlined_add(x, y); bench_opaque(x));
        }
}

static NOT_INLINED int64_t variadic_sum(int n, ...) {
        int64_t sum = 0;
        va_list list;

        va_start(list, n);
        for (int i = 0; i < n; i++)
                sum += va_arg(list, int64_t);
        va_end(list);
        return sum;
}

BENCH(call_variadic,
                .about = "three variadic arguments: limited by their way through memory, and by the branches on where they lie") {
        int64_t x = 1, y = 2, z = 3;
        int n = 3;

        bench_loop(b) {
                BENCH_REPEAT10(bench_opaque(n); bench_use(variadic_sum(n, x, y, z)));
        }
}

static NOT_INLINED int64_t recursive_sum(int64_t n) {
        int64_t rest;

        if (n == 0)
                return 0;
        rest = recursive_sum(n - 1);
        bench_opaque(rest); /* or the compiler makes a loop of it */
        return n + rest;
}

BENCH(call_recursive, .args = BENCH_ARGS(depth, 64),
                .about = "a level of recursion: limited by a call, a return and a register saved on the stack") {
        int64_t depth = bench_arg(b, 0);

        bench_ops(b, (uint64_t)depth);
        bench_loop(b) {
                bench_opaque(depth);
                bench_use(recursive_sum(depth));
        }
}

BENCH(setjmp, .about = "limited by the stores of eight registers, three of which are encrypted") {
        static jmp_buf place;
        int (*save)(jmp_buf) =
                        _setjmp; /* by pointer: nothing jumps back here, so the loop's variables may stay in registers */

        bench_loop(b) {
                BENCH_REPEAT10(bench_opaque(save); bench_use(save(place)));
        }
}

static NOT_INLINED void jump_and_return(jmp_buf place) {
        if (!_setjmp(place))
                _longjmp(place, 1);
}

BENCH(setjmp_longjmp,
                .about = "limited by saving and loading eight registers, and by the returns that the jump confuses") {
        static jmp_buf place;

        bench_loop(b) {
                jump_and_return(place);
        }
}
