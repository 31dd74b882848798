/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JOB as it is typed: what can be an id is taken in the daemon's form, and nothing else. */

#include "ctl/ask/load.h"
#include "ctl/base/job-id.h"

#include "test.h"

TEST(an_id_or_its_beginning_is_taken_in_lower_case) {
        char name[JOB_ID_BYTES];

        assert_int_equal(load_job("12ab", name), 0);
        assert_string_equal(name, "12ab");
        assert_int_equal(load_job("@DEADbeef", name), 0);
        assert_string_equal(name, "deadbeef");
        assert_int_equal(load_job("0123456789abcdef0123456789abcdef", name), 0);
        assert_string_equal(name, "0123456789abcdef0123456789abcdef");
}

TEST(what_no_job_can_be_called_is_refused) {
        static const char *const words[] = { "", "@", "123", "@123", "12g4", "@@1234", "12 34", "-1234", "12ab.so",
                "0123456789abcdef0123456789abcdef0" };
        char name[JOB_ID_BYTES] = "as it was";

        for (size_t i = 0; i < N_ELEMENTS(words); i++)
                if (load_job(words[i], name) != LOAD_E_MALFORMED)
                        fail_msg("'%s' was taken", words[i]);
        assert_string_equal(name, "as it was");
}
