# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

RELATIONS = [
    Ratio("qsort takes n lg n", "sorting/qsort/n=16384", "sorting/qsort/n=1024", 16 * 14 / 10, 0.5),
    AtMost("predicted comparisons are faster", "sorting/qsort_sorted/n=1024", "sorting/qsort/n=1024"),
    Ratio("an insertion sort takes n²", "sorting/insertion_sort/n=4096", "sorting/insertion_sort/n=1024", 16, 0.25),
    AtMost("of 1024, a heap is faster than insertion", "sorting/heap_sort/n=1024", "sorting/insertion_sort/n=1024"),
]
