/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/machine-identity.h"

#include <nettle/hmac.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/root-dir.h"

#define ID_BYTES 16u

/* benchd's own, made at random once: another one makes other ids. */
static const uint8_t application[ID_BYTES] = { 0xf4, 0x4f, 0xe4, 0xfc, 0x2a, 0x5e, 0x78, 0x83, 0x52, 0x8d, 0x2c, 0x42,
        0x42, 0x26, 0xdd, 0x7e };

bool machine_name_is_valid(const char *text) {
        static const char first[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        static const char others[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-_";

        return *text && strchr(first, *text) && text[strspn(text, others)] == 0;
}

/* Exactly 32 digits, not all zero: the file says "uninitialized" during a first boot. */
static bool parse_machine_id(const char *text, uint8_t ret_id[static ID_BYTES]) {
        bool any = false;

        if (strlen(text) != 2 * ID_BYTES || strspn(text, "0123456789abcdefABCDEF") != 2 * ID_BYTES)
                return false;
        for (size_t i = 0; i < ID_BYTES; i++) {
                (void)sscanf(text + 2 * i, "%2hhx", &ret_id[i]);
                any |= ret_id[i] != 0;
        }
        return any;
}

/* As sd_id128_get_machine_app_specific(3), which knows no root directory: keyed by the machine-id, marked as a UUID of version 4. */
static void print_hashed(const uint8_t machine_id[static ID_BYTES], char ret_text[static MACHINE_ID_BYTES]) {
        struct hmac_sha256_ctx state;
        uint8_t id[ID_BYTES];

        hmac_sha256_set_key(&state, ID_BYTES, machine_id);
        hmac_sha256_update(&state, sizeof application, application);
        hmac_sha256_digest(&state, sizeof id, id);
        id[6] = (id[6] & 0x0f) | 0x40;
        id[8] = (id[8] & 0x3f) | 0x80;
        for (size_t i = 0; i < sizeof id; i++)
                snprintf(ret_text + 2 * i, 3, "%02x", id[i]);
}

void machine_identity_read(RootDir *root, const char *name, MachineIdentity *ret_identity) {
        MachineIdentity identity = {};
        uint8_t machine_id[ID_BYTES];
        char text[256];

        if (root_dir_read_line(root, "etc/machine-id", text, sizeof text) == 0 && parse_machine_id(text, machine_id))
                print_hashed(machine_id, identity.id);
        if (strcmp(name, MACHINE_NAME_HOST) == 0)
                name = root_dir_read_line(root, "proc/sys/kernel/hostname", text, sizeof text) == 0 ? text : "";
        if (machine_name_is_valid(name))
                snprintf(identity.name, sizeof identity.name, "%.*s", (int)sizeof identity.name - 1, name);
        *ret_identity = identity;
}
