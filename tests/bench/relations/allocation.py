# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

RELATIONS = [
    AtMost("the thread's cache is faster than the arena",
           "allocation/malloc_free/bytes=16", "allocation/malloc_free/bytes=4096"),
    AtMost("64 KiB of zeros cost more than none",
           "allocation/malloc_free/bytes=1048576", "allocation/calloc_free/bytes=65536"),
    AtMost("an alignment costs more than none",
           "allocation/malloc_free/bytes=4096", "allocation/aligned_alloc_free/bytes=4096"),
    AtMost("many blocks miss the thread's cache",
           "allocation/malloc_free/bytes=16", "allocation/malloc_then_free/order=fifo"),
    AtMost("the stack is faster than the heap", "allocation/alloca", "allocation/malloc_free/bytes=16"),
    AtMost("the heap is faster than the kernel", "allocation/malloc_free/bytes=1048576", "allocation/mmap_munmap"),
    AtMost("a huge page faults once, not 512 times", "allocation/page_fault_huge", "allocation/page_fault", 512),
    AtMost("a huge page has 512 times the zeros", "allocation/page_fault", "allocation/page_fault_huge", 0.1),
]
