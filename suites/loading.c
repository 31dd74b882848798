/* SPDX-License-Identifier: MIT */

/*
 * loading: shared libraries and their symbols at run time.
 *
 * The library that is loaded anew is one of libc6's own, so it is on every Debian and in the page cache.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <dlfcn.h>
#include <link.h>

BENCH_AREA(loading, .about = "shared libraries and their symbols at run time");
BENCH_EMBED_SOURCE;

#define LIBRARY "libutil.so.1"

BENCH(dlopen_dlclose, .about = "a small library: limited by the mapping of its file, relocation, and page faults") {
        void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

        if (!library)
                bench_skip(b, "%s", dlerror());
        dlclose(library);
        if (dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD))
                bench_skip(b, LIBRARY " is in the process already");
        bench_loop(b)
                dlclose(dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL));
}

BENCH(dlopen_loaded, .about = "a library that is loaded already: limited by a comparison of names, and its count") {
        void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

        if (!library)
                bench_skip(b, "%s", dlerror());
        bench_loop(b)
                dlclose(dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL));
        dlclose(library);
}

BENCH(dlsym_hit, .about = "a name of the C library, looked up in it: limited by a hash of the name and one bucket") {
        void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
        const char *name = "qsort";

        if (!library || !dlsym(library, name))
                bench_fail(b, "%s", dlerror());
        bench_loop(b) {
                bench_opaque(name);
                bench_use(dlsym(library, name));
        }
        dlclose(library);
}

BENCH(dlsym_miss, .about = "a name that no library has: limited by the sentence that dlerror() would tell") {
        void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
        const char *name = "benchd_has_no_such_name";

        if (!library)
                bench_fail(b, "%s", dlerror());
        bench_loop(b) {
                bench_opaque(name);
                bench_use(dlsym(library, name));
        }
        dlclose(library);
}

BENCH(dladdr, .about = "the name of a function of the C library: limited by a walk over all its symbols") {
        const void *address = dlsym(RTLD_DEFAULT, "qsort");
        Dl_info info;

        bench_loop(b) {
                bench_opaque(address);
                bench_use(dladdr(address, &info));
        }
}

static int object_count(struct dl_phdr_info *info, size_t size, void *n) {
        *(unsigned *)n += 1;
        return 0;
}

BENCH(dl_iterate_phdr, .about = "limited by a lock and a call for each loaded object; their number stands beside it") {
        unsigned n = 0;

        dl_iterate_phdr(object_count, &n);
        bench_label(b, "%u objects", n);
        bench_loop(b) {
                n = 0;
                dl_iterate_phdr(object_count, &n);
                bench_use(n);
        }
}
