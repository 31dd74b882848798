# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

HIDDEN = ["newlocale_freelocale", "uselocale"]
RELATIONS = [
    AtMost("nine digits take longer than one to write",
           "formatting/snprintf_int/digits=1", "formatting/snprintf_int/digits=9"),
    AtMost("nine digits take longer than one to read", "formatting/strtol/text=7", "formatting/strtol/text=123456789"),
    AtMost("17 digits of a double take longer than 6",
           "formatting/snprintf_double/format=%g", "formatting/snprintf_double/format=%.17g"),
    AtMost("a large exponent takes longer to read",
           "formatting/strtod/text=1.5", "formatting/strtod/text=1.7976931348623157e308"),
    AtMost("sscanf does more than strtol", "formatting/strtol/text=123456789", "formatting/sscanf_int"),
    AtMost("a format takes longer than none", "formatting/fputs_dev_null", "formatting/fprintf_dev_null"),
    AtMost("using a locale is faster than finding it", "formatting/uselocale", "formatting/newlocale_freelocale", 0.1),
    AtMost("one letter takes less than a comparison of 16", "formatting/toupper", "formatting/strcoll"),
]
