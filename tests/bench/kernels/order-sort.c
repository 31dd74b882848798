/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "order.h"

__attribute__((noinline)) static void sift(uint32_t *numbers, size_t i, size_t n) {
        for (size_t k; (k = 2 * i + 1) < n; i = k) {
                const uint32_t moved = numbers[i];

                if (k + 1 < n && order_compare(&numbers[k], &numbers[k + 1]) < 0)
                        k++;
                if (order_compare(&numbers[i], &numbers[k]) >= 0)
                        return;
                numbers[i] = numbers[k];
                numbers[k] = moved;
        }
}

void order_sort(uint32_t *numbers, size_t n) {
        for (size_t i = n / 2; i > 0; i--)
                sift(numbers, i - 1, n);
        for (size_t i = n; i > 1; i--) {
                const uint32_t moved = numbers[0];

                numbers[0] = numbers[i - 1];
                numbers[i - 1] = moved;
                sift(numbers, 0, i - 1);
        }
}
