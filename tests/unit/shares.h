/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Shares with the limits of an empty configuration, from shares_make() to shares_end(), which sees that all was given back. */

#include "front/base/config.h"
#include "front/base/share.h"
#include "test.h"

static Shares *shares;

static inline void shares_make(void) {
        Config config;

        config_init(&config);
        assert_int_equal(shares_new(&config, &shares), 0);
}

static inline void shares_end(void) {
        assert_true(share_next_user(shares, (uid_t)-1) == (uid_t)-1);
        shares = shares_free(shares);
}
