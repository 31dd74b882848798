/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "util/cleanup.h"

double noise_normal(gsl_rng *random, double scale) {
        return 1 + gsl_ran_gaussian_ziggurat(random, scale);
}

double noise_lognormal(gsl_rng *random, double scale) {
        return exp(gsl_ran_gaussian_ziggurat(random, scale));
}

double noise_exponential(gsl_rng *random, double scale) {
        return 1 + gsl_ran_exponential(random, scale);
}

double noise_pareto(gsl_rng *random, double scale) {
        return gsl_ran_pareto(random, 1 / scale, 1);
}

double noise_quantized(gsl_rng *random, double scale) {
        double step = 0.4 * scale;

        return rint(noise_normal(random, scale) / step) * step;
}

double noise_stragglers(gsl_rng *random, double scale) {
        double noise = noise_normal(random, scale);

        return gsl_rng_uniform(random) < 0.1 ? noise * (1 + gsl_rng_uniform(random)) : noise;
}

double noise_two(gsl_rng *random, double scale) {
        return (gsl_rng_uniform(random) < 0.6 ? 50 : 72) * noise_lognormal(random, scale);
}

const Scenario scenarios[] = {
        { "normal, 2 %", noise_normal, 0.02 },
        { "skewed: lognormal, 30 %", noise_lognormal, 0.3 },
        { "skewed: exponential, 5 %", noise_exponential, 0.05 },
        { "drifting: 5 % in each process", noise_normal, 0.01, .between = 0.005, .drift_within = 0.05 },
        { "drifting: 2 % over the run", noise_normal, 0.01, .between = 0.01, .drift_across = 0.02 },
        { "drifting: 5 % over the run", noise_normal, 0.01, .between = 0.01, .drift_across = 0.05 },
        { "wandering: 2 % over the run", noise_normal, 0.01, .between = 0.01, .wander = 0.02, .resemblance = 0.8 },
        { "like the one before: 0.35", noise_normal, 0.01, .wander = 0.02, .resemblance = 0.35 },
        { "like the one before: 0.6", noise_normal, 0.01, .wander = 0.02, .resemblance = 0.6 },
        { "samples alike: correlation 0.9", noise_normal, 0.01, .repeat = 0.9 },
        { "between processes: 1 %", noise_normal, 0.01, .between = 0.01 },
        { "between processes: 5 %", noise_lognormal, 0.02, .between = 0.05 },
        { "15 % of processes slow by 50 %", noise_normal, 0.01, .between = 0.01, .slow_share = 0.15,
                        .slow_factor = 1.5 },
        { "5 % of processes slow by 50 %", noise_normal, 0.01, .between = 0.01, .slow_share = 0.05,
                        .slow_factor = 1.5 },
};
const size_t n_scenarios = N_ELEMENTS(scenarios);

/* Stationary from the first step on. */
static double wander_on(const Scenario *scenario, gsl_rng *random, double wander) {
        double fresh = gsl_ran_gaussian_ziggurat(random, scenario->wander), rho = scenario->resemblance;

        return isnan(wander) ? fresh : rho * wander + sqrt(1 - rho * rho) * fresh;
}

double scenario_level(const Scenario *scenario, gsl_rng *random, double where, double *wander) {
        double level = exp(gsl_ran_gaussian_ziggurat(random, scenario->between)) * (1 + scenario->drift_across * where);

        if (scenario->wander > 0) {
                *wander = wander_on(scenario, random, *wander);
                level *= exp(*wander);
        }
        return gsl_rng_uniform(random) < scenario->slow_share ? level * scenario->slow_factor : level;
}

void scenario_samples(const Scenario *scenario, gsl_rng *random, double level, double *samples, size_t n) {
        double rho = scenario->repeat, fresh = sqrt(1 - rho * rho), noise = scenario->noise(random, scenario->scale);

        for (size_t i = 0; i < n; i++) {
                double where = n > 1 ? (double)i / (n - 1) : 0;

                samples[i] = level * noise * (1 + scenario->drift_within * where);
                if (rho > 0)
                        noise = 1 + rho * (noise - 1) + fresh * (scenario->noise(random, scenario->scale) - 1);
                else
                        noise = scenario->noise(random, scenario->scale);
        }
}
