# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

RELATIONS = [
    AtMost("a single thread is spared the locked instructions", "locks/mutex_single_threaded", "locks/mutex"),
    AtMost("the owner of a recursive mutex is spared them too", "locks/mutex_recursive", "locks/mutex"),
    AtMost("a spinlock has one locked instruction, a mutex two", "locks/spinlock", "locks/mutex"),
    AtMost("a contended mutex costs more than a free one", "locks/mutex", "locks/mutex_contended"),
    AtMost("a contended spinlock costs more than a free one", "locks/spinlock", "locks/spinlock_contended"),
    AtMost("readers disturb each other at the count", "locks/rwlock_read", "locks/rwlock_read_contended"),
    AtMost("what was done once costs less than a lock", "locks/pthread_once", "locks/mutex", 0.5),
    AtMost("a signal that nobody waits for costs less than a lock", "locks/condition_signal", "locks/mutex", 0.5),
]
