/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/aging.h"

#include "util/time.h"

#define AGING_DAY_NS (UINT64_C(86400) * NS_PER_S)
#define AGING_PART   10u /* one job in this many may be removed in a day */

AgingJob aging_judge(uint64_t submitted_unix_ns, uint64_t newest_unix_ns, uint64_t keep_ns, uint64_t now_unix_ns) {
        if (submitted_unix_ns > now_unix_ns)
                return AGING_FUTURE;
        return newest_unix_ns > keep_ns && submitted_unix_ns < newest_unix_ns - keep_ns ? AGING_OLD : AGING_YOUNG;
}

static uint64_t aging_tenth(uint64_t n_jobs) {
        return n_jobs < AGING_PART ? 1 : n_jobs / AGING_PART;
}

/* The time from the last job of a tenth to the next tenth. */
static uint64_t aging_rest_ns(uint64_t n_jobs) {
        return n_jobs > 0 && n_jobs < AGING_PART ? AGING_DAY_NS * AGING_PART / n_jobs : AGING_DAY_NS;
}

bool aging_allows(Aging *aging, uint64_t n_jobs, uint64_t now_unix_ns) {
        const uint64_t tenth = aging_tenth(n_jobs);

        /* It was noted by a clock that has been set back since. */
        if (aging->next_unix_ns > now_unix_ns + AGING_PART * AGING_DAY_NS)
                aging->next_unix_ns = now_unix_ns + aging_rest_ns(n_jobs);
        if (aging->next_unix_ns <= now_unix_ns || aging->jobs_left > tenth)
                aging->jobs_left = tenth;
        return aging->jobs_left > 0;
}

void aging_note(Aging *aging, uint64_t n_jobs, uint64_t now_unix_ns) {
        aging->jobs_left--;
        aging->next_unix_ns = now_unix_ns + aging_rest_ns(n_jobs);
}
