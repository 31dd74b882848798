# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

RELATIONS = [
    Ratio("qsort takes n lg n", "sorting/qsort/n=4096", "sorting/qsort/n=512", 8 * 12 / 9, 0.2),
    AtMost("predicted comparisons are faster", "sorting/qsort_sorted/n=512", "sorting/qsort/n=512"),
    Ratio("an insertion sort takes n²", "sorting/insertion_sort/n=1024", "sorting/insertion_sort/n=512", 4, 0.3),
    AtMost("of 512, a heap is faster than insertion", "sorting/heap_sort/n=512", "sorting/insertion_sort/n=512"),
]
