/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/job-name.h"

#include <ctype.h>
#include <string.h>

int job_name_parse(const char *word, char ret_name[static JOB_NAME_BYTES]) {
        size_t n;

        word += *word == '@';
        n = strlen(word);
        if (n < JOB_NAME_MIN || n > JOB_NAME_MAX || strspn(word, "0123456789abcdefABCDEF") != n)
                return JOB_NAME_E_MALFORMED;
        for (size_t i = 0; i <= n; i++)
                ret_name[i] = (char)tolower((unsigned char)word[i]);
        return 0;
}
