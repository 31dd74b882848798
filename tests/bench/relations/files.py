# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

HIDDEN = ["lseek"]
RELATIONS = [
    AtMost("opening walks the same path as stat", "files/stat", "files/open_close"),
    AtMost("fstat walks none", "files/fstat", "files/stat"),
    AtMost("lseek copies nothing", "files/lseek", "files/fstat"),
    AtMost("making costs more than opening", "files/open_close", "files/create_unlink"),
    AtMost("renaming walks two paths", "files/stat", "files/rename"),
    AtMost("one byte costs no more than a page", "files/pread_cached/bytes=1", "files/pread_cached/bytes=4096", 1.1),
    AtMost("fsync follows a write", "files/pwrite_cached/bytes=4096", "files/fsync"),
    AtMost("a fault costs more than a read", "files/pread_cached/bytes=4096", "files/mmap_read"),
    AtMost("a stream saves system calls: fgetc", "files/fgetc", "files/pread_cached/bytes=1", 0.3),
    AtMost("a stream saves system calls: fread", "files/fread/bytes=16", "files/pread_cached/bytes=1", 0.5),
]
