/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/greeting.h"

#include "util/error.h"
#include "util/socket.h"

int greeting_send(int fd) {
        const Build build = build_own();
        size_t n;
        int r;

        r = socket_send(fd, &build, sizeof build, NULL, 0, &n);
        if (r == SOCKET_E_AGAIN)
                return GREETING_E_AGAIN;
        return r == SOCKET_E_CLOSED ? (int)GREETING_E_CLOSED : error_fold(r);
}

int greeting_receive(int fd, char ret_text[static BUILD_TEXT_MAX]) {
        SocketFds none;
        Build build;
        size_t n;
        int r;

        r = socket_receive_some(fd, &build, sizeof build, 0, &n, &none);
        if (r == SOCKET_E_AGAIN)
                return GREETING_E_AGAIN;
        if (r == SOCKET_E_CLOSED)
                return GREETING_E_CLOSED;
        if (r < 0)
                return error_trace(r);
        if (r > 0 || n != sizeof build)
                build = (Build){};
        return build_judge(&build, ret_text) == 0 ? 0 : GREETING_E_OTHER;
}
