/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A module with state of the kind that the loader keeps once a process.
 */

inline int shared_state = 0;

static int &counter() {
        static int own;
        return own;
}

template <typename T> int &instance() {
        static T value;
        return value;
}

extern "C" int count() {
        counter()++;
        return ++shared_state + instance<int>()++;
}
