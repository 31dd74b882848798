# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio, Rising

RELATIONS = [
    Ratio("a linear search is linear", "searching/linear_search/n=65536", "searching/linear_search/n=4096", 16, 0.2),
    Rising("a binary search takes longer in more", "searching/bsearch/"),
    Rising("a binary search without branches takes longer in more", "searching/binary_search_branchless/"),
    AtMost("halving is faster than one by one", "searching/bsearch/n=1024", "searching/linear_search/n=4096"),
    AtMost("a mispredicted branch takes longer than a mask",
           "searching/binary_search_branchless/n=1024", "searching/bsearch/n=1024"),
    AtMost("a tree's loads take longer than an array's", "searching/bsearch/n=65536", "searching/tfind/n=65536"),
]
