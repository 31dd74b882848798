/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * @value rounded to the two digits that a sentence needs of it; for printf's %.10g, since its %.2g writes 820 as 8.2e+02.
 * Pure.
 */

double two_digits(double value);
