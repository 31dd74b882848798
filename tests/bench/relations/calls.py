# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Between

RELATIONS = [
    Between("an addition is left of the inlined function", "calls/call_inlined", 0.9, 1.1),
    AtMost("an inlined function costs less than a call", "calls/call_inlined", "calls/call_empty"),
    AtMost("a predicted call by pointer costs hardly more than a direct one", "calls/call_pointer", "calls/call_empty", 1.5),
    AtMost("the same function by dlsym's pointer costs no more than through the PLT", "calls/call_dlsym", "calls/call_plt", 1.1),
    AtMost("a call with three variadic arguments costs more than one with five", "calls/call_5_arguments", "calls/call_variadic"),
    AtMost("setjmp with longjmp costs more than setjmp", "calls/setjmp", "calls/setjmp_longjmp"),
]
