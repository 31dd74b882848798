/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "stats/strata.h"
#include "util/cleanup.h"
#include "util/error.h"

static double student(double confidence, double freedom) {
        return gsl_cdf_tdist_Pinv((1 + confidence) / 2, freedom);
}

LogMean log_mean_of(const MeanInterval *interval, double confidence, double freedom) {
        LogMean mean = { .mean = NAN, .error = NAN, .freedom = freedom };

        if (interval->point > 0)
                mean.mean = log(interval->point);
        if (interval->point > 0 && interval->low > 0 && freedom > 0)
                mean.error = log(interval->high / interval->low) / 2 / student(confidence, freedom);
        return mean;
}

double log_means_freedom(const LogMean *means, size_t n) {
        double sum = 0, parts = 0, all = 0;

        for (size_t i = 0; i < n; i++) {
                double squared = means[i].error * means[i].error;

                sum += squared;
                parts += squared * squared / means[i].freedom;
                all += means[i].freedom;
        }
        return parts > 0 ? sum * sum / parts : all;
}

int interval_of_mean(const double *values, const uint32_t *strata, size_t n, double confidence,
                MeanInterval *ret_interval) {
        StrataMean of;
        double half;

        if (strata_mean(values, strata, n, &of) != 0)
                return INTERVAL_E_EMPTY;
        half = n >= INTERVAL_N_MIN ? student(confidence, of.freedom) * of.error : NAN;
        *ret_interval = (MeanInterval){ .point = of.mean, .low = of.mean - half, .high = of.mean + half };
        return 0;
}

MeanInterval interval_of_at_least(MeanInterval interval, double half) {
        if (isfinite(interval.low)) {
                interval.low = fmin(interval.low, interval.point - half);
                interval.high = fmax(interval.high, interval.point + half);
        }
        return interval;
}

MeanInterval interval_moved(MeanInterval interval, double point) {
        return (MeanInterval){
                .point = point,
                .low = interval.low + point - interval.point,
                .high = interval.high + point - interval.point,
        };
}

MeanInterval interval_widened(MeanInterval interval, double factor, bool of_logs) {
        if (factor == 1)
                return interval;
        if (of_logs)
                return (MeanInterval){
                        .point = interval.point,
                        .low = interval.point * pow(interval.low / interval.point, factor),
                        .high = interval.point * pow(interval.high / interval.point, factor),
                };
        interval.low = interval.point - factor * (interval.point - interval.low);
        interval.high = interval.point + factor * (interval.high - interval.point);
        return interval;
}

int interval_of_log_mean(const double *values, const uint32_t *strata, size_t n, double confidence,
                MeanInterval *ret_interval) {
        _cleanup_(freep) double *logs = NULL;
        MeanInterval of_logs;
        int r;

        if (n == 0)
                return INTERVAL_E_EMPTY;
        logs = malloc(n * sizeof *logs);
        if (!logs)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                if (values[i] <= 0)
                        return INTERVAL_E_NOT_POSITIVE;
                logs[i] = log(values[i]);
        }
        r = interval_of_mean(logs, strata, n, confidence, &of_logs);
        if (r)
                return r;
        *ret_interval = (MeanInterval){
                .point = exp(of_logs.point),
                .low = exp(of_logs.low),
                .high = exp(of_logs.high),
        };
        return 0;
}
