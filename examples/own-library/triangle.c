/* SPDX-License-Identifier: MIT */
#include "triangle.h"

#include <math.h>

/* Heron's formula. */
__attribute__((visibility("default"))) double triangle_area(double a, double b, double c) {
        double s = (a + b + c) / 2;

        return sqrt(s * (s - a) * (s - b) * (s - c));
}
