/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The options by which another command asks the same machine, as a shell reads them. */

#include "ctl/ask/fleet/transport.h"

#include "ctl/app/settings.h"
#include "test.h"

static void expect(const Settings *settings, Transport transport, const char *host, const char *expected) {
        _cleanup_(freep) char *options = transport_options(settings, transport, host);

        assert_string_equal(options, expected);
}

TEST(another_command_has_the_options_that_reached_the_machine) {
        expect(&(Settings){}, TRANSPORT_SSH, "me@lab1", " --host=me@lab1");
        expect(&(Settings){ .rsh = "ssh -p 2222" }, TRANSPORT_SSH, "lab1", " --host=lab1 --rsh='ssh -p 2222'");
        expect(&(Settings){ .socket = "/run/b.sock" }, TRANSPORT_SSH, "lab1", " --host=lab1 --socket=/run/b.sock");
        expect(&(Settings){ .private_daemon = true }, TRANSPORT_SSH, "lab1", " --private --host=lab1");
        expect(&(Settings){}, TRANSPORT_SRUN, "n2", " --host=n2 --rsh='srun -u -Q -N1 -n1 --overlap -w'");
}
