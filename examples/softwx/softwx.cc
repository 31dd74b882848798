/* SPDX-License-Identifier: MIT */

/*
 * The examples of SoftWx's Bench, in C++: a body that sleeps, one of nanoseconds, one that needs set-up between, two
 * remainders, and the size of objects.
 *
 * The remainders stand ten times in an iteration, since one is about as short as the loop. Objects are measured with
 * `benchctl run --memory`: `retained` is the memory that each one keeps allocated.
 */

#include <array>
#include <benchd/bench.h>
#include <cerrno>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

BENCH_AREA(softwx, .about = "sleep, concatenation, removal, remainder");
BENCH_AREA(object_sizes, .about = "memory that an object keeps allocated: run it with --memory");

BENCH(sleep_2ms, .area = "softwx", .about = "waiting is timed like anything else", .samples = 10, .processes = 3) {
        bench_loop(b) {
                timespec left = { 0, 2000000 };

                while (nanosleep(&left, &left) != 0 && errno == EINTR)
                        ;
        }
}

BENCH(string_concatenation, .area = "softwx", .about = "of two dates, too long to live within the string object") {
        std::string first = "2013-01-03 17:09:41 UTC", second = "2013-01-03 17:09:42 UTC";

        bench_loop(b) {
                bench_opaque(first);
                std::string both = first + second;

                bench_use(both.data());
                bench_clobber();
        }
}

BENCH(dictionary_remove, .area = "softwx", .about = "of 1000, which are put in while the clock stands") {
        const int n = 1000;

        bench_ops(b, n);
        bench_loop(b) {
                bench_pause(b);
                std::unordered_map<int, std::string> dictionary;

                for (int i = 0; i < n; i++)
                        dictionary.emplace(i, std::to_string(i));
                bench_resume(b);
                for (int i = 0; i < n; i++)
                        dictionary.erase(i);
                bench_use(dictionary.size());
        }
}

BENCH(mod_13, .area = "softwx", .about = "the compiler multiplies instead of dividing") {
        int i = 0;

        bench_loop(b)
                BENCH_REPEAT10(bench_opaque(i); bench_use(i % 13));
}

BENCH(mod_16, .area = "softwx", .about = "a mask, and a little for negative numbers") {
        int i = 0;

        bench_loop(b)
                BENCH_REPEAT10(bench_opaque(i); bench_use(i % 16));
}

BENCH(mod_by_variable, .area = "softwx", .about = "a division: the compiler does not know the divisor") {
        int i = 0, divisor = 13;

        bench_loop(b)
                BENCH_REPEAT10(bench_opaque(i); bench_opaque(divisor); bench_use(i % divisor));
}

namespace {

using NumberMap = std::map<int, int>;

const size_t batch = 100;
std::array<std::shared_ptr<void>, batch> kept;

void drop_all(struct bench *) {
        kept.fill(nullptr);
}

/* The control block of the pointer is kept too: 16 bytes beside each object. */
template <typename Make> void keep(struct bench *b, Make make) {
        bench_loop(b)
                kept[bench_index(b) % batch] = make();
}

} // namespace

/* An object of @type_, made from the arguments after it, that lives until the batch is over. C++17 wants the comma also without any. */
#define OBJECT(name_, about_, type_, ...)                                                                              \
 BENCH(name_, .area = "object_sizes", .about = about_, .reset = drop_all, .iterations = batch, .samples = 10,          \
                 .processes = 3) {                                                                                     \
  keep(b, [] { return std::make_shared<type_>(__VA_ARGS__); });                                                        \
 }

OBJECT(size_of_int, "and 16 bytes of its pointer's, as in the rows below", int, 0)
OBJECT(size_of_short_string, "15 characters live within the object", std::string, 15, 'x')
OBJECT(size_of_string, "16 characters do not", std::string, 16, 'x')
OBJECT(size_of_empty_vector, "three pointers", std::vector<int>, )
OBJECT(size_of_vector_1000, "and 1000 numbers", std::vector<int>, 1000)
OBJECT(size_of_empty_map, "the root of a tree", NumberMap, )
