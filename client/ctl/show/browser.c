/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/browser.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/base/command.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "util/cleanup.h"

#define PAGE_SUFFIX ".html"

int browser_make_page(char **ret_path) {
        const char *directory = getenv("TMPDIR");
        char *path;
        int fd;

        if (asprintf(&path, "%s/benchd-XXXXXX" PAGE_SUFFIX, directory && *directory ? directory : "/tmp") < 0) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        fd = mkostemps(path, strlen(PAGE_SUFFIX), O_CLOEXEC);
        if (fd < 0) {
                complain("Cannot make %s: %m.", path);
                complain_hint("Name a file for the page: --output=FILE" PAGE_SUFFIX);
                free(path);
                return EXIT_USAGE;
        }
        close(fd);
        *ret_path = path;
        return 0;
}

int browser_open(const char *path) {
        _cleanup_(command_clear) Command command = {};
        int r;

        r = command_add_variable(&command, "BROWSER", "xdg-open");
        if (r)
                return r;
        if (command_add_file(&command, path)) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        r = command_run(&command, true);
        if (r == 0)
                return 0;
        if (r < 0)
                complain("Cannot start %s: %s.", command.words[0], benchd_error_string(r));
        else
                complain("%s could not show the page (exit status %d).", command.words[0], r);
        complain_hint("The page is %s; BROWSER names the program that shows it.", path);
        return EXIT_MACHINE;
}
