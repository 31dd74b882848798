/* SPDX-License-Identifier: MIT */

/*
 * calls, the part in C++: a virtual function. Nothing here needs the C++ library.
 */

#include <benchd/bench.h>

BENCH_EMBED_SOURCE;

struct Shape {
        virtual void visit() const = 0;

      protected:
        ~Shape() = default;
};

struct Square : Shape {
        void visit() const override {
                __asm__ volatile("# square");
        }
};

/* A compiler that knows of one class only would guess it, and call its function directly. */
struct Circle : Shape {
        void visit() const override {
                __asm__ volatile("# circle");
        }
};

BENCH(call_virtual, .area = "calls",
                .about = "limited by a call and a return, behind two loads that find the function") {
        static const Square square;
        static const Circle circle;
        const Shape *shape = bench_thread(b) ? static_cast<const Shape *>(&circle) : &square;

        bench_loop(b) {
                BENCH_REPEAT10(bench_opaque(shape); shape->visit());
        }
}
