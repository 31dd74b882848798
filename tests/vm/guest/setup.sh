#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later

# Run by mmdebstrap before the kernel is installed, with the new root as $1: what the initrd must hold, and no more.

set -eu
mkdir -p "$1/etc/initramfs-tools/conf.d"
printf 'MODULES=list\nCOMPRESS=zstd\n' >"$1/etc/initramfs-tools/conf.d/vm"
printf 'virtio_pci\nvirtio_blk\next4\n' >"$1/etc/initramfs-tools/modules"
