/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/caches.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/sysfs.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/root-dir.h"

#define PATH_SIZE 128u
#define INDEX_MAX 16u /* caches of one CPU */

static CacheKind cache_kind(const char *word) {
        static const struct {
                const char *word;
                CacheKind kind;
        } kinds[] = { { "Data", CACHE_DATA }, { "Instruction", CACHE_INSTRUCTION }, { "Unified", CACHE_UNIFIED } };

        for (size_t i = 0; i < N_ELEMENTS(kinds); i++)
                if (strcmp(word, kinds[i].word) == 0)
                        return kinds[i].kind;
        return 0;
}

/* "32K" in bytes. */
static uint64_t cache_size(const char *text) {
        char *unit;
        uint64_t size = strtoull(text, &unit, 10);

        return *unit == 'K' ? size << 10 : *unit == 'M' ? size << 20 : size;
}

static int cache_read_words(RootDir *root, const char *folder, Cache *cache) {
        char path[PATH_SIZE + 16], text[32];
        int r;

        snprintf(path, sizeof path, "%s/type", folder);
        r = sysfs_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        cache->kind = cache_kind(text);

        snprintf(path, sizeof path, "%s/size", folder);
        r = sysfs_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        cache->size_bytes = cache_size(text);
        return 0;
}

static int cache_read(RootDir *root, unsigned cpu, unsigned index, Cache *ret_cache) {
        char folder[PATH_SIZE], path[PATH_SIZE + 16];
        Cache cache = {};
        int r;

        snprintf(folder, sizeof folder, "sys/devices/system/cpu/cpu%u/cache/index%u", cpu, index);
        snprintf(path, sizeof path, "%s/level", folder);
        r = sysfs_read_number(root, path, &cache.level);
        if (r)
                return error_trace(r);
        snprintf(path, sizeof path, "%s/shared_cpu_list", folder);
        r = sysfs_read_set(root, path, &cache.cpus);
        if (r)
                return error_trace(r);
        r = cache_read_words(root, folder, &cache);
        if (r)
                return error_trace(r);
        *ret_cache = cache;
        return 0;
}

/* Each cache is told by every CPU that shares it: it is taken from the lowest of them. */
static bool cache_is_told_by(const Cache *cache, const cpu_set_t *online, unsigned cpu) {
        if (!cache->kind || !CPU_ISSET(cpu, &cache->cpus))
                return false;
        for (unsigned lower = 0; lower < cpu; lower++)
                if (CPU_ISSET(lower, &cache->cpus) && CPU_ISSET(lower, online))
                        return false;
        return true;
}

static int caches_add(Cache **caches, size_t *n, const Cache *cache) {
        Cache *grown = reallocarray(*caches, *n + 1, sizeof *grown);

        if (!grown)
                return error_origin(-ENOMEM);
        *caches = grown;
        grown[(*n)++] = *cache;
        return 0;
}

static int caches_read_cpu(RootDir *root, const cpu_set_t *online, unsigned cpu, Cache **caches, size_t *n) {
        unsigned indices[INDEX_MAX];
        char path[PATH_SIZE];
        size_t n_indices;
        Cache cache;
        int r;

        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cache", cpu);
        r = root_dir_numbers(root, path, "index", indices, N_ELEMENTS(indices), &n_indices);
        for (size_t i = 0; !r && i < n_indices; i++) {
                r = cache_read(root, cpu, indices[i], &cache);
                if (!r && cache_is_told_by(&cache, online, cpu))
                        r = caches_add(caches, n, &cache);
        }
        return error_trace(r);
}

static int compare_caches(const void *a, const void *b) {
        const Cache *x = a, *y = b;

        return x->level != y->level ? (int)x->level - (int)y->level : (int)x->kind - (int)y->kind;
}

int caches_read(RootDir *root, const cpu_set_t *online, Cache **ret_caches, size_t *ret_n) {
        _cleanup_(freep) Cache *caches = NULL;
        size_t n = 0;
        int r;

        for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
                if (!CPU_ISSET(cpu, online))
                        continue;
                r = caches_read_cpu(root, online, cpu, &caches, &n);
                if (r)
                        return error_trace(r);
        }
        if (n > 0)
                qsort(caches, n, sizeof *caches, compare_caches);
        *ret_caches = take_pointer(caches);
        *ret_n = n;
        return 0;
}
