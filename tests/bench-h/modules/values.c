/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A program, in C and C++: a hint changes no value of any type, evaluates its argument once, and compiles without a warning. Prints what is wrong.
 */

#define BENCH_NO_MODULE
#include <benchd/bench.h>

#include <immintrin.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
# include <atomic>
# include <memory>
# include <string>
# include <utility>
#endif

static int n_wrong, n_calls;

#define EXPECT(condition) ((condition) ? (void)0 : (void)(n_wrong++, printf("line %d: %s\n", __LINE__, #condition)))

/* Fills a value with bytes that differ, has it hidden and used, also const and volatile, and compares. */
#define KEEP(...)                                                                                                      \
 do {                                                                                                                  \
  unsigned char wanted[sizeof(__VA_ARGS__)], is[sizeof(__VA_ARGS__)];                                                  \
  __VA_ARGS__ x;                                                                                                       \
                                                                                                                       \
  for (size_t i = 0; i < sizeof wanted; i++)                                                                           \
   wanted[i] = (unsigned char)(i % 61 + 1);                                                                            \
  memcpy((void *)&x, wanted, sizeof x);                                                                                \
  bench_opaque(x);                                                                                                     \
  bench_use(x);                                                                                                        \
  memcpy(is, (const void *)&x, sizeof x);                                                                              \
  EXPECT(memcmp(is, wanted, sizeof is) == 0);                                                                          \
  const __VA_ARGS__ constant = x;                                                                                      \
  bench_use(constant);                                                                                                 \
 } while (0)

#define ARRAY_OF(n)                                                                                                    \
 struct bytes_##n {                                                                                                    \
  char bytes[n];                                                                                                       \
 };
ARRAY_OF(1)
ARRAY_OF(2)
ARRAY_OF(3)
ARRAY_OF(5)
ARRAY_OF(8)
ARRAY_OF(15)
ARRAY_OF(16)
ARRAY_OF(17)
ARRAY_OF(31)
ARRAY_OF(64)

struct short_pair {
        short a, b;
};
struct integer_and_byte {
        int a;
        char b;
};
struct pointer_and_integer {
        void *a;
        int b;
};
struct real_and_float {
        double a;
        float b;
};
struct float_and_integer {
        float a;
        int b;
};
struct floats {
        float a, b, c;
};
struct reals {
        double a, b, c;
};
struct vector {
        __m128i a;
};
struct packed {
        char a;
        long b;
} __attribute__((packed));
struct aligned {
        int a;
} __attribute__((aligned(16)));
struct bits {
        unsigned a : 3, b : 5, c : 24;
};
struct extended {
        long double a;
};
union either {
        double a;
        long b;
        char c[16];
};
enum colour {
        RED,
        GREEN
};
typedef int int_vector_8 __attribute__((vector_size(8)));
typedef int int_vector_16 __attribute__((vector_size(16)));
typedef int int_vector_32 __attribute__((vector_size(32)));
typedef double real_vector_64 __attribute__((vector_size(64)));
typedef char byte_vector_4 __attribute__((vector_size(4)));
typedef char byte_vector_2 __attribute__((vector_size(2)));
__extension__ typedef __int128 wide;
__extension__ typedef __float128 wide_real;
__extension__ typedef _Complex float complex_float;
__extension__ typedef _Complex double complex_real;
__extension__ typedef _Complex int complex_integer;
__extension__ typedef _Complex long double complex_extended;

static int counted(void) {
        return ++n_calls;
}

static struct bytes_64 returned(void) {
        struct bytes_64 value = { "returned" };

        n_calls++;
        return value;
}

static struct pointer_and_integer returned_pair(void) {
        struct pointer_and_integer value = { NULL, ++n_calls };

        return value;
}

static void numbers(void) {
        KEEP(char);
        KEEP(unsigned short);
        KEEP(int);
        KEEP(long);
        KEEP(long long);
        KEEP(float);
        KEEP(double);
        KEEP(wide);
        KEEP(wide_real);
        KEEP(void *);
        KEEP(complex_float);
        KEEP(complex_real);
        KEEP(complex_integer);
        KEEP(complex_extended);
#if defined(__FLT16_MAX__) && !defined(__cplusplus)
        __extension__ typedef _Float16 half;
        KEEP(half);
#endif
        enum colour colour = GREEN;
        long double extended = 1.25L;
        bench_opaque(colour);
        bench_use(colour);
        EXPECT(colour == GREEN);
        bench_opaque(extended);
        bench_use(extended);
        EXPECT(extended == 1.25L);
}

static void vectors(void) {
        KEEP(__m64);
        KEEP(__m128);
        KEEP(__m128d);
        KEEP(__m128i);
        KEEP(int_vector_8);
        KEEP(int_vector_16);
        KEEP(int_vector_32);
        KEEP(real_vector_64);
        KEEP(byte_vector_4);
        KEEP(byte_vector_2);
#ifdef __AVX__
        KEEP(__m256);
        KEEP(__m256i);
#endif
#ifdef __AVX512F__
        KEEP(__m512);
        KEEP(__m512i);
#endif
}

static void structs(void) {
        KEEP(struct bytes_1);
        KEEP(struct bytes_2);
        KEEP(struct bytes_3);
        KEEP(struct bytes_5);
        KEEP(struct bytes_8);
        KEEP(struct bytes_15);
        KEEP(struct bytes_16);
        KEEP(struct bytes_17);
        KEEP(struct bytes_31);
        KEEP(struct bytes_64);
        KEEP(struct short_pair);
        KEEP(struct integer_and_byte);
        KEEP(struct pointer_and_integer);
        KEEP(struct real_and_float);
        KEEP(struct float_and_integer);
        KEEP(struct floats);
        KEEP(struct reals);
        KEEP(struct vector);
        KEEP(struct packed);
        KEEP(struct aligned);
        KEEP(struct bits);
        KEEP(struct extended);
        KEEP(union either);
}

/* Members that are not set, and padding, are nothing to be warned of. */
static void holes(void) {
        struct pointer_and_integer one;
        struct integer_and_byte other;

        one.a = NULL;
        one.b = 3;
        bench_opaque(one);
        bench_use(one);
        other.a = 3;
        other.b = 5;
        bench_opaque(other);
        bench_use(other);
        EXPECT(one.a == NULL && one.b == 3 && other.a == 3 && other.b == 5);
}

/* A constant that is an address, where compilers have failed. */
static void addresses(void) {
        struct pointer_and_integer p = { (void *)&n_calls, 7 };
        const char *const texts[] = { "a", "b" };

        bench_use(p);
        bench_opaque(p);
        EXPECT(p.a == &n_calls && p.b == 7);
        bench_use(texts);
        bench_use(texts[1]);
        bench_use("text");
        bench_use(&p);
        bench_use(counted);
}

static void evaluated_once(void) {
        int list[4] = { 1, 2, 3, 4 }, i = 0;
        volatile int changing = 3;
        struct bits bits = { 1, 2, 3 };
        int *p = list;

        bench_use(counted());
        EXPECT(n_calls == 1);
        bench_use(returned());
        EXPECT(n_calls == 2);
        bench_use(returned_pair());
        EXPECT(n_calls == 3);
        bench_use(list[i++] = 10);
        EXPECT(i == 1 && list[0] == 10);
        bench_use(*p++);
        EXPECT(p == list + 1);
        bench_use(bits.b = 4);
        bench_use(bits.a + 0);
        EXPECT(bits.b == 4);
        bench_opaque(list);
        bench_opaque(list[2]);
        bench_use(list);
        bench_opaque(changing);
        bench_use(changing);
        EXPECT(changing == 3 && list[2] == 3);
        bench_use(i == 1 ? 2.5 : 3);
        bench_use(1.5f);
        bench_use(i == 7);
}

static void volatile_structs(void) {
        volatile struct pointer_and_integer one = { NULL, 3 };
        volatile struct reals other = { 1, 2, 3 };
        volatile wide number = 5;

        bench_opaque(one);
        bench_opaque(other);
        bench_opaque(number);
        bench_use(number);
        EXPECT(one.b == 3 && other.c == 3 && number == 5);
}

#ifdef __cplusplus

struct Counting {
        int a = 3;
        Counting() = default;
        Counting(const Counting &other) : a(other.a) {
                n_calls++;
        }
};
struct Fixed {
        const int a = 5;
        int b = 6;
};
class TopologyHidden {
        ~TopologyHidden() = default;

      public:
        static TopologyHidden &only() {
                static TopologyHidden *hidden = new TopologyHidden;
                return *hidden;
        }
        int a = 1;
};
struct Nothing {};
struct Virtual {
        virtual ~Virtual() = default;
        virtual int of() const {
                return 1;
        }
        int a = 4;
};
enum class Kind : short {
        one,
        two
};

static void classes() {
        std::string text = "a text that is too long to be short", &reference = text;
        std::unique_ptr<int> owner(new int(7));
        std::atomic<int> atomic(8);
        std::pair<double, int> pair(1.5, 2);
        Counting counting;
        Fixed fixed;
        Nothing nothing;
        Virtual object;
        Kind kind = Kind::two;
        bool truth = true;
        int (Virtual::*method)() const = &Virtual::of;
        int Virtual::*member = &Virtual::a;
        auto lambda = [&text] { return text.size(); };

        n_calls = 0;
        bench_opaque(reference), bench_use(reference), bench_use(std::move(text)), bench_use(text + "x");
        bench_opaque(owner), bench_use(owner), bench_opaque(atomic), bench_use(atomic), bench_opaque(pair),
                        bench_use(pair);
        bench_opaque(counting), bench_use(counting), bench_use(fixed), bench_opaque(nothing), bench_use(nothing);
        bench_opaque(object), bench_use(object), bench_opaque(kind), bench_use(kind), bench_opaque(truth),
                        bench_use(truth);
        bench_opaque(method), bench_use(method), bench_opaque(member), bench_use(member), bench_opaque(lambda),
                        bench_use(lambda);
        bench_opaque(TopologyHidden::only()), bench_use(TopologyHidden::only()), bench_use(nullptr),
                        bench_use(Kind::one);
        EXPECT(n_calls == 0 && counting.a == 3 && fixed.a == 5 && fixed.b == 6 && kind == Kind::two && truth);
        EXPECT(*owner == 7 && atomic == 8 && pair.first == 1.5 && pair.second == 2 && object.*member == 4 &&
                        (object.*method)() == 1);
        EXPECT(text.size() == 35 && lambda() == 35);
}

#else

static void classes(void) {
        static _Atomic int atomic = 8;
        register int kept = 3;

        bench_opaque(atomic);
        bench_use(atomic);
        bench_opaque(kept);
        EXPECT(atomic == 8 && kept == 3);
}

#endif

int main(void) {
        numbers();
        vectors();
        structs();
        holes();
        addresses();
        evaluated_once();
        volatile_structs();
        classes();
        return n_wrong > 0;
}
