/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/terminal.h"

#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned terminal_columns(int fd) {
        struct winsize size;

        return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool terminal_is_ascii(void) {
        return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}
