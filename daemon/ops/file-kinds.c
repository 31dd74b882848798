/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/file-kinds.h"

size_t file_kind_words(uint32_t kinds, const char *ret_words[static FILE_KINDS_MAX]) {
        static const char *const words[FILE_KINDS_MAX] = {
                "memory",
                "memory-changed",
                "disk",
                "socket",
                "pipe",
                "device",
                "event",
        };
        size_t n = 0;

        for (unsigned bit = 0; bit < FILE_KINDS_MAX; bit++)
                if (kinds & (1u << bit))
                        ret_words[n++] = words[bit];
        return n;
}
