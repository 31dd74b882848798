/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A library of one's own, as a benchmark of a real project would load beside itself.
 */

/* The area of the triangle with the sides @a, @b and @c; NaN if they make none. */
double triangle_area(double a, double b, double c);
