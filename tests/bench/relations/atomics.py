# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

HIDDEN = ["fetch_add_relaxed", "compare_exchange_failing"]

RELATIONS = [
    Ratio("a relaxed addition is the same instruction", "atomics/fetch_add_relaxed", "atomics/fetch_add", 1, 0.05),
    Ratio("a store is an exchange", "atomics/store", "atomics/exchange", 1, 0.35),
    Ratio("a failing compare_exchange locks all the same", "atomics/compare_exchange_failing", "atomics/compare_exchange", 1, 0.35),
    AtMost("a release store is a plain one", "atomics/store_release", "atomics/store", 0.3),
    AtMost("a contended addition takes longer than one alone", "atomics/fetch_add", "atomics/fetch_add_contended"),
    AtMost("a loop of compare_exchange takes no less than the one addition", "atomics/fetch_add_contended",
           "atomics/compare_exchange_contended", 1.2),
    AtMost("readers do not disturb each other", "atomics/load_contended", "atomics/fetch_add", 0.3),
]
