/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Chains through bench_opaque() and uses of values of each kind, whose machine code is read: what a hint takes in a register stays there.
 */

#include <benchd/bench.h>

#include <immintrin.h>

#define HINTS(name, type, first, step)                                                                                 \
 BENCH(chain_##name) {                                                                                                 \
  type x;                                                                                                              \
                                                                                                                       \
  first;                                                                                                               \
  bench_loop(b) {                                                                                                      \
   step;                                                                                                               \
   bench_opaque(x);                                                                                                    \
  }                                                                                                                    \
  bench_use(x);                                                                                                        \
 }                                                                                                                     \
 BENCH(use_##name) {                                                                                                   \
  type x;                                                                                                              \
                                                                                                                       \
  first;                                                                                                               \
  bench_opaque(x);                                                                                                     \
  bench_loop(b) {                                                                                                      \
   step;                                                                                                               \
   bench_use(x);                                                                                                       \
  }                                                                                                                    \
 }

struct one_integer {
        int a;
};
struct one_real {
        double a;
};
struct two_integers {
        uint64_t a, b;
};
struct two_halves {
        unsigned a, b;
};
struct two_reals {
        double a, b;
};
struct four_reals {
        float a, b, c, d;
};
struct mixed {
        uint64_t a;
        double b;
};
struct mixed_other {
        double a;
        uint64_t b;
};
struct text {
        const char *a;
        size_t n;
};
struct vector {
        __m128 a;
};
union word {
        uint64_t a;
        unsigned char bytes[8];
};
typedef int eight_bytes __attribute__((vector_size(8)));
__extension__ typedef __int128 wide;
__extension__ typedef _Complex double complex_real;

HINTS(integer, int, x = 3, x *= 5)
HINTS(byte, unsigned char, x = 1, x = (unsigned char)(x * 5))
HINTS(pointer, const char *, x = "", x += 1)
HINTS(real, double, x = 2, x *= 1.5)
HINTS(narrow_real, float, x = 2, x *= 1.5f)
HINTS(extended, long double, x = 2, x += x)
HINTS(wide, wide, x = 3, x += 5)
HINTS(complex_real, complex_real, x = 1, x += x)
HINTS(one_integer, struct one_integer, x.a = 3, x.a *= 5)
HINTS(one_real, struct one_real, x.a = 3, x.a *= 1.5)
HINTS(two_integers, struct two_integers, (x.a = 3, x.b = 5), (x.a *= 3, x.b *= 5))
HINTS(two_halves, struct two_halves, (x.a = 3, x.b = 5), (x.a *= 3, x.b *= 5))
HINTS(two_reals, struct two_reals, (x.a = 3, x.b = 5), (x.a *= 1.5, x.b *= 1.5))
HINTS(four_reals, struct four_reals, (x.a = 3, x.b = 5, x.c = 7, x.d = 9),
                (x.a *= 1.5f, x.b *= 1.5f, x.c *= 1.5f, x.d *= 1.5f))
HINTS(mixed, struct mixed, (x.a = 3, x.b = 5), (x.a *= 3, x.b *= 1.5))
HINTS(mixed_other, struct mixed_other, (x.a = 3, x.b = 5), (x.a *= 1.5, x.b *= 3))
HINTS(text, struct text, (x.a = "", x.n = 0), (x.a++, x.n += 3))
HINTS(word, union word, x.a = 3, x.a *= 5)
HINTS(vector, __m128, x = _mm_set1_ps(2), x = _mm_add_ps(x, x))
HINTS(vector_of_integers, __m128i, x = _mm_set1_epi32(2), x = _mm_add_epi32(x, x))
HINTS(vector_in_struct, struct vector, x.a = _mm_set1_ps(2), x.a = _mm_add_ps(x.a, x.a))
HINTS(eight_bytes, eight_bytes, (x[0] = 1, x[1] = 2), x += x)
#ifdef __AVX__
HINTS(vector_of_32, __m256, x = _mm256_set1_ps(2), x = _mm256_add_ps(x, x))
#endif
#ifdef __AVX512F__
HINTS(vector_of_64, __m512, x = _mm512_set1_ps(2), x = _mm512_add_ps(x, x))
#endif

/* Large structs are used where they lie; a call returns one into memory, whence nobody copies it. */
struct large {
        char bytes[4096];
};
static struct large large;
extern struct large make_large(void);

BENCH(use_large) {
        bench_loop(b) {
                bench_opaque(large);
                bench_use(large);
        }
}

BENCH(use_returned) {
        bench_loop(b)
                bench_use(make_large());
}

/* A store that others can see is kept, as is one of which only its value is used. */
int visible[1000];

BENCH(store_to_global) {
        bench_loop(b)
                for (int i = 0; i < 1000; i++)
                        bench_use(visible[i] = 10);
}

BENCH(store_to_known) {
        int known[1000];
        int *p = known;

        bench_use(p);
        bench_loop(b)
                for (int i = 0; i < 1000; i++)
                        bench_use(known[i] = 10);
}
