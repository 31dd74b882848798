# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

RELATIONS = [
    AtMost("a loaded library is only counted", "loading/dlopen_loaded", "loading/dlopen_dlclose", 0.1),
    AtMost("a name that is found takes no sentence", "loading/dlsym_hit", "loading/dlsym_miss"),
    AtMost("no hash leads from an address to its name", "loading/dlsym_hit", "loading/dladdr"),
]
