# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

HIDDEN = ["read_field", "write_atomic"]

PLAIN = ["local", "static", "field", "atomic", "unaligned", "thread_local"]

RELATIONS = [
    *(Ratio(f"a read of kind {kind} takes as long as one by pointer", f"data_access/read_{kind}", "data_access/read_pointer", 1, 0.25)
      for kind in PLAIN),
    AtMost("the global offset table costs a second load at most", "data_access/read_global", "data_access/read_pointer", 2.2),
    AtMost("a read across lines takes longer than one within", "data_access/read_unaligned", "data_access/read_across_lines"),
    AtMost("a read across pages takes no less than one across lines", "data_access/read_across_lines", "data_access/read_across_pages", 1.02),
    AtMost("a dynamic thread-local variable costs more than a near one", "data_access/read_thread_local",
           "data_access/read_thread_local_dynamic"),
    Ratio("an atomic relaxed write takes as long as a plain one", "data_access/write_atomic", "data_access/write_static", 1, 0.1),
    AtMost("a write across lines takes longer than one within", "data_access/write_static", "data_access/write_across_lines"),
    AtMost("a blocked forward takes longer than one that works", "data_access/increment", "data_access/forward_blocked"),
    AtMost("an increment waits for the one before, a write does not", "data_access/write_static", "data_access/increment"),
]
