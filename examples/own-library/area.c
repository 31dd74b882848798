/* SPDX-License-Identifier: MIT */

/*
 * A module that needs a shared library of its own. It is linked as any program is, with a run path of $ORIGIN:
 *
 *      cc -O2 -shared -fPIC area.c -o area.so -L. -ltriangle -Wl,-rpath,'$ORIGIN'
 *
 * benchctl finds the library as the dynamic linker would and sends it along; the daemon needs no access to its folder.
 */

#include <benchd/bench.h>

#include "triangle.h"

BENCH_AREA(geometry, .about = "a library of one's own");

BENCH(triangle_area, .area = "geometry", .about = "the 3-4-5 triangle, by Heron's formula") {
        double a = 3;

        if (triangle_area(3, 4, 5) != 6)
                bench_fail(b, "the library is wrong");
        bench_loop(b) {
                bench_opaque(a);
                bench_use(triangle_area(a, 4, 5));
        }
}
