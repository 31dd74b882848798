# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

HIDDEN = ["clock"]
RELATIONS = [
    AtMost("a fence takes time", "time_functions/rdtsc", "time_functions/rdtsc_lfence"),
    AtMost("rdtscp waits for what is before it", "time_functions/rdtsc", "time_functions/rdtscp", 1.1),
    AtMost("a coarse clock reads no counter",
           "time_functions/clock_gettime/clock=monotonic_coarse", "time_functions/clock_gettime/clock=monotonic"),
    AtMost("CPU time needs the kernel: thread",
           "time_functions/clock_gettime/clock=monotonic", "time_functions/clock_gettime/clock=thread_cpu"),
    AtMost("CPU time needs the kernel: process",
           "time_functions/clock_gettime/clock=monotonic", "time_functions/clock_gettime/clock=process_cpu"),
    Ratio("two functions for one clock",
          "time_functions/gettimeofday", "time_functions/clock_gettime/clock=realtime", 1, 0.25),
    Ratio("two functions for the process's time",
          "time_functions/clock", "time_functions/clock_gettime/clock=process_cpu", 1, 0.25),
    AtMost("seconds are a load", "time_functions/time", "time_functions/gettimeofday"),
    AtMost("a zone takes longer than none", "time_functions/gmtime_r", "time_functions/localtime_r"),
    AtMost("mktime tries localtime_r", "time_functions/localtime_r", "time_functions/mktime"),
]
