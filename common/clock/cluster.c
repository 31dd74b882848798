/* SPDX-License-Identifier: MIT */
#include "clock/cluster.h"

#include <stdlib.h>

#define CLUSTER_CHANCE 200u /* one reading in this many is left out at the lower end */

static int compare_doubles(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

Cluster cluster_lowest(double *readings, size_t n, double width, double step) {
        const size_t lowest = n / CLUSTER_CHANCE;
        size_t end = lowest;

        qsort(readings, n, sizeof *readings, compare_doubles);
        while (end < n && readings[end] <= width * readings[lowest] + step)
                end++;
        return (Cluster){ readings + lowest, end - lowest };
}

Cluster cluster_middle(double *readings, size_t n) {
        qsort(readings, n, sizeof *readings, compare_doubles);
        return (Cluster){ readings + n / 4, n - 2 * (n / 4) };
}

double cluster_median(Cluster cluster) {
        if (cluster.n == 0)
                return 0;
        return (cluster.readings[cluster.n / 2] + cluster.readings[(cluster.n - 1) / 2]) / 2;
}

double cluster_mean(Cluster cluster) {
        double sum = 0;

        for (size_t i = 0; i < cluster.n; i++)
                sum += cluster.readings[i];
        return cluster.n > 0 ? sum / cluster.n : 0;
}
