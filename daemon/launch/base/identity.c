/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/base/identity.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

#define UID_NOBODY 65534u /* also the kernel's answer where it cannot name the peer */

static Identity identity_of_user(const char *name, uid_t otherwise) {
        struct passwd *user = getpwnam(name);

        if (!user || user->pw_uid == 0 || user->pw_gid == 0)
                return (Identity){ .uid = otherwise, .gid = otherwise };
        return (Identity){ .uid = user->pw_uid, .gid = user->pw_gid };
}

void identities_read(Identities *ret_identities) {
        Identity own = { .uid = geteuid(), .gid = getegid() };

        *ret_identities = (Identities){
                .privileged = own.uid == 0,
                .own = own,
                .front = own.uid == 0 ? identity_of_user("benchd", IDENTITY_FRONT_UID) : own,
                .run = own.uid == 0 ? identity_of_user("benchd-run", IDENTITY_RUN_UID) : own,
        };
}

int identities_map(const Identities *identities, const SocketPeer *peer, Identity *ret_identity) {
        Identity identity = IDENTITY_NULL;

        if (peer->uid == (uid_t)-1 || peer->gid == (gid_t)-1 || peer->uid == UID_NOBODY)
                return IDENTITY_E_REFUSED;
        if (!identities->privileged) {
                if (peer->uid != identities->own.uid)
                        return IDENTITY_E_REFUSED;
                *ret_identity = identities->own;
                return 0;
        }
        if (peer->uid == identities->front.uid)
                return IDENTITY_E_REFUSED;
        if (peer->uid == 0 || peer->gid == 0) {
                *ret_identity = identities->run;
                return 0;
        }

        identity.uid = peer->uid;
        identity.gid = peer->gid;
        for (size_t i = 0; i < peer->n_groups; i++)
                if (peer->groups[i] != 0)
                        identity.groups[identity.n_groups++] = peer->groups[i];
        *ret_identity = identity;
        return 0;
}
