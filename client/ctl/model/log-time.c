/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/log-time.h"

#include <jansson.h>
#include <math.h>

#include "ctl/base/json-path.h"

bool log_time_of(const json_t *time, LogTime *ret_time) {
        double point, low, high, half = NAN;

        if (!json_number_at(time, "point", &point) || !(point > 0))
                return false;
        if (json_number_at(time, "low", &low) && json_number_at(time, "high", &high) && low > 0 && high >= low)
                half = log(high / low) / 2;
        *ret_time = (LogTime){ .log = log(point), .half = half };
        return true;
}
