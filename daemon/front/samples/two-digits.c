/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/two-digits.h"

#include <math.h>

double two_digits(double value) {
        double unit;

        if (value == 0 || !isfinite(value))
                return value;
        unit = pow(10, floor(log10(fabs(value))) - 1);
        return round(value / unit) * unit;
}
