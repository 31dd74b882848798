# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Between

RELATIONS = [
    AtMost("strlen takes longer for more", "strings/strlen/bytes=16", "strings/strlen/bytes=1024"),
    Between("memcpy: at most 128 bytes a cycle", "strings/memcpy/bytes=4096", 32, 4096),
    Between("memmove: at most 128 bytes a cycle", "strings/memmove/bytes=4096", 32, 4096),
    Between("memset: at most 128 bytes a cycle", "strings/memset/bytes=4096", 32, 4096),
    Between("memcmp: at most 128 bytes a cycle", "strings/memcmp/bytes=4096", 32, 4096),
    Between("memchr: at most 128 bytes a cycle", "strings/memchr/bytes=4096", 32, 4096),
    AtMost("strcmp takes longer for more", "strings/strcmp/bytes=8", "strings/strcmp/bytes=1024"),
    AtMost("strcpy takes longer for more", "strings/strcpy/bytes=64", "strings/strcpy/bytes=1024"),
    AtMost("strcat is a search and a strcpy", "strings/strcpy/bytes=64", "strings/strcat/bytes=64"),
    AtMost("strdup is a malloc and a copy", "strings/strcpy/bytes=64", "strings/strdup_free/bytes=64"),
    AtMost("four letters take longer to find than one", "strings/strchr/bytes=1024", "strings/strstr/bytes=1024"),
]
