/* SPDX-License-Identifier: MIT */

/*
 * Two examples of MeasureIt's guide, in C++: adding to a dictionary, which must be emptied after each batch, and
 * variables of the environment.
 *
 * The guide asks if the order of the keys matters. A hash table has each key in a bucket of its own, and the place of its
 * nodes hardly matters while they fit a cache. A tree compares on its way down, and random keys make each comparison a
 * guess.
 */

#include <algorithm>
#include <benchd/bench.h>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <unordered_map>
#include <vector>

BENCH_AREA(dictionary, .about = "adding 1000 entries, and then none is left");
BENCH_AREA(environment, .about = "variables of the environment");

namespace {

const int n_keys = 1000;

std::vector<int> keys;
std::mt19937 generator(n_keys);

void order_keys() {
        keys.resize(n_keys);
        std::iota(keys.begin(), keys.end(), 0);
}

template <typename Dictionary> Dictionary &the_only() {
        static Dictionary dictionary;

        return dictionary;
}

template <typename Dictionary> void empty(struct bench *) {
        the_only<Dictionary>().clear();
}

/* Another order each time: a processor learns a single order of a thousand keys, and predicts each comparison. */
template <typename Dictionary> void empty_and_shuffle(struct bench *b) {
        empty<Dictionary>(b);
        std::shuffle(keys.begin(), keys.end(), generator);
}

template <typename Dictionary> void add_all(struct bench *b) {
        Dictionary &dictionary = the_only<Dictionary>();

        order_keys();
        bench_loop(b)
                for (int key : keys)
                        dictionary.emplace(key, key);
        bench_use(dictionary.size());
}

using HashTable = std::unordered_map<int, int>;
using Tree = std::map<int, int>;

} // namespace

BENCH(hash_ordered, .area = "dictionary", .ops = n_keys, .reset = empty<HashTable>) {
        add_all<HashTable>(b);
}

BENCH(hash_random, .area = "dictionary", .ops = n_keys, .reset = empty_and_shuffle<HashTable>) {
        add_all<HashTable>(b);
}

BENCH(tree_ordered, .area = "dictionary", .ops = n_keys, .reset = empty<Tree>) {
        add_all<Tree>(b);
}

BENCH(tree_random, .area = "dictionary", .ops = n_keys, .reset = empty_and_shuffle<Tree>) {
        add_all<Tree>(b);
}

BENCH(getenv_first, .area = "environment", .about = "a variable that is there") {
        bench_loop(b)
                bench_use(getenv("PATH"));
}

BENCH(getenv_missing, .area = "environment", .about = "all of them are looked at") {
        bench_loop(b)
                bench_use(getenv("NO_SUCH_VARIABLE"));
}

BENCH(setenv_same, .area = "environment", .about = "to the value that it has") {
        bench_loop(b)
                setenv("X", "1", 1);
        unsetenv("X");
}
