/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A module with whatever holds addresses in a shared object: checks of itself, each a bit of what image_checks() returns, that
 * tell nothing but whether all of it still finds each other.
 */

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <pthread.h>
#include <stdexcept>
#include <string>

namespace {

struct Base {
        virtual ~Base() = default;
        virtual int value() const {
                return 1;
        }
};

struct Derived : Base {
        int value() const override {
                return 2;
        }
};

/* destroyed when the stack is unwound */
struct Guard {
        int *n;
        explicit Guard(int *count) : n(count) {
        }
        ~Guard() {
                ++*n;
        }
};

std::map<std::string, int> &dictionary() {
        alignas(16) static std::map<std::string, int> words = /* to no more, as gcc would by itself */ { { "one", 1 },
                { "two", 2 }, { "a longer one, which is allocated", 3 } };
        return words;
}

int constructed = 0;

__attribute__((constructor)) void construct() {
        constructed = 41;
}

const int initialised = dictionary().at("two") + constructed;

thread_local int of_thread = 7;
thread_local std::string object_of_thread = "of the thread";

int twice(int n) {
        return 2 * n;
}

int thrice(int n) {
        return 3 * n;
}

int (*volatile const functions[])(int) = { twice, thrice, twice };
const char *volatile const names[] = { "none", "some", "many" };

alignas(16) const double weights[] = { 1, 2, 3, 4 };

int compare(const void *a, const void *b) {
        return *(const int *)a - *(const int *)b;
}

void *look_at_thread(void *) {
        int *sum = new int(of_thread++ + (int)object_of_thread.size());
        return sum;
}

} /* namespace */

extern "C" {

static int resolved(void) {
        return 5;
}

typedef int Resolved(void);

static __attribute__((used)) Resolved *image_resolve(void) {
        return resolved;
}

__attribute__((visibility("hidden"))) int chosen_within(void) __attribute__((ifunc("image_resolve")));
__attribute__((visibility("default"))) int image_chosen(void) __attribute__((ifunc("image_resolve")));
__attribute__((weak)) int image_nowhere(void);
__attribute__((visibility("default"))) int image_variable = 9;
}

static __attribute__((noinline)) bool check_exception() {
        int n = 0;

        try {
                Guard guard(&n);
                throw std::runtime_error("thrown");
        } catch (const std::exception &error) {
                return n == 1 && strcmp(error.what(), "thrown") == 0;
        }
        return false;
}

static bool check_thread() {
        pthread_t thread;
        void *sum = nullptr;

        if (of_thread != 7 || object_of_thread != "of the thread")
                return false;
        if (pthread_create(&thread, nullptr, look_at_thread, nullptr) != 0 || pthread_join(thread, &sum) != 0)
                return false;
        bool right = *(int *)sum == 7 + 13;
        delete (int *)sum;
        return right;
}

static bool check_library() {
        int numbers[] = { 3, 1, 2 };

        qsort(numbers, 3, sizeof *numbers, compare);
        return numbers[0] == 1 && numbers[2] == 3;
}

static bool check_vectors() {
        double sum[2] = {};

        for (int i = 0; i < 4; i++)
                sum[i % 2] += weights[i];
        return sum[0] == 4 && sum[1] == 6;
}

static __attribute__((noinline)) int choose(int n) {
        switch (n) { /* a table of jumps */
        case 0:
                return twice(11);
        case 1:
                return thrice(7);
        case 2:
                return image_variable;
        case 3:
                return chosen_within();
        case 4:
                return initialised;
        case 5:
                return constructed;
        default:
                return -1;
        }
}

static bool check_switch() {
        volatile int n = 0;
        const int wanted[] = { 22, 21, 9, 5, 43, 41, -1 };
        bool right = true;

        for (; n < 7; n = n + 1)
                right = right && choose(n) == wanted[n];
        return right;
}

static bool check_virtual() {
        Base *base = new Derived;
        bool right = base->value() == 2 && dynamic_cast<Derived *>(base) != nullptr;

        delete base;
        return right;
}

/* All bits of the lowest 9 where everything is right. */
extern "C" __attribute__((visibility("default"))) unsigned image_checks(void) {
        const bool right[] = {
                initialised == 43,
                check_exception(),
                check_thread(),
                check_library(),
                check_vectors(),
                check_switch(),
                check_virtual(),
                functions[1](5) == 15 && strcmp(names[2], "many") == 0,
                chosen_within() == 5 && image_chosen() == 5 && !image_nowhere,
        };
        unsigned bits = 0;

        for (unsigned i = 0; i < sizeof right; i++)
                bits |= right[i] << i;
        return bits;
}
