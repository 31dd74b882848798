# SPDX-License-Identifier: GPL-3.0-or-later
"""A Debian 12 disk with benchd installed on it, and the kernel that boots it.

In two steps. The root directory of a bare guest comes from Debian's packages, which takes half a minute, and is kept in a
cache (BENCHD_VM_CACHE; by default below the build) under a name made of all that it was made from. A copy of it (hard
links) gets benchd by `meson install`, as a packager would do it, and becomes an ext4 file by `mke2fs -d`: a few seconds,
so that is done anew each time.

Nothing is mounted and no loop device is used; but the files must belong to root, so it takes root.
"""

import dataclasses
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
GUEST = HERE / 'guest'
PACKAGES = HERE / 'packages-guest.txt'
TABLE = GUEST / 'cpufreq.asl'
SUITE = 'bookworm'
SOURCES = [f'deb http://deb.debian.org/debian {SUITE} main',
           f'deb http://deb.debian.org/debian-security {SUITE}-security main']
# Units of which no story has anything, and which would be much of the time of each boot.
UNWANTED = ['apt-daily.timer', 'apt-daily-upgrade.timer',
            *(f'modprobe@{module}.service' for module in ['configfs', 'dm_mod', 'drm', 'efi_pstore', 'fuse', 'loop']),
            'proc-sys-fs-binfmt_misc.automount', 'systemd-binfmt.service', 'systemd-random-seed.service',
            'systemd-update-utmp.service', 'systemd-update-utmp-runlevel.service']
TOOLS = ['mmdebstrap', 'mke2fs', 'qemu-img', 'qemu-system-x86_64', 'setpriv', 'systemctl', 'meson', 'iasl']
DISK_SIZE = '1500M'
PATH = os.environ['PATH'] + ':/usr/sbin:/sbin'


@dataclasses.dataclass(frozen=True)
class Image:
    disk: pathlib.Path  # raw, never written to: vm.py puts an overlay on it
    kernel: pathlib.Path
    initrd: pathlib.Path
    table: pathlib.Path  # of ACPI, compiled


def obstacle():
    """What keeps this machine from making and booting an image, in words; None if nothing does."""
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=PATH)]
    if missing:
        return f'{", ".join(missing)} missing: scripts/packages-vm.txt names the Debian packages'
    return None if os.geteuid() == 0 else 'the guest\'s files must belong to root: root is needed to make its disk'


def cache_directory(build):
    return pathlib.Path(os.environ.get('BENCHD_VM_CACHE', build / 'vm')).resolve()


def make(build, directory):
    """The image with what @build installs; its disk in @directory."""
    return make_disk(build, directory, lambda root: install(build, root))


def make_without(build, directory, packages):
    """The image of a guest that never had benchd, with @packages, {name of a directory: files}, below /srv."""
    return make_disk(build, directory, lambda root: bring(packages, root))


def make_disk(build, directory, prepare):
    cache = cache_directory(build)
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / 'lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        base = bare_root(cache)
        root = fresh(cache / 'root')
        call('cp', '--archive', '--link', base, root)
        prepare(root)
        disk = directory / 'disk.ext4'
        call('mke2fs', '-q', '-t', 'ext4', '-L', 'root', '-d', root, disk, DISK_SIZE)
        fresh(root)
    call('iasl', '-va', '-p', directory / 'cpufreq', TABLE)
    return Image(disk, one(base / 'boot', 'vmlinuz-*'), one(base / 'boot', 'initrd.img-*'), directory / 'cpufreq.aml')


# ---- the bare guest

def bare_root(cache):
    base = cache / f'bare-{inputs_digest()}'
    if not base.exists():
        for old in cache.glob('bare-*'):
            fresh(old)
        half_made = fresh(cache / 'half-made')
        debootstrap(half_made)
        half_made.rename(base)
    return base


def inputs_digest():
    digest = hashlib.sha256()
    for path in [pathlib.Path(__file__), PACKAGES, GUEST / 'setup.sh']:
        digest.update(path.read_bytes() + b'\0')
    return digest.hexdigest()[:16]


def debootstrap(root):
    packages = [line for line in PACKAGES.read_text().split('\n') if line and not line.startswith('#')]
    call('mmdebstrap', '--quiet', '--variant=essential', '--mode=root', f'--include={",".join(packages)}',
         f'--essential-hook={GUEST / "setup.sh"} "$1"', SUITE, root, *SOURCES)


# ---- the guest with benchd, or before it

def install(build, root):
    """All of it offline: what a boot would decide by itself (users, directories) is left for it to decide."""
    call('meson', 'install', '-C', build, '--no-rebuild', '--quiet', DESTDIR=str(root))
    call('ldconfig', '-r', root)
    equip(root, users())
    call('systemctl', f'--root={root}', '--quiet', 'enable', 'benchd.service')


def bring(packages, root):
    equip(root, b''.join(line for line in users().splitlines(True) if not line.startswith(b'm ')))  # the group comes with benchd
    for directory, paths in packages.items():
        for path in paths:
            replace(root / 'srv' / directory / path.name, path)


def users():
    return (GUEST / 'users.conf').read_bytes()


def equip(root, user_lines):
    for program in ['agent.py', 'snapshot.py']:
        replace(root / 'opt' / program, GUEST / program)
        (root / 'opt' / program).chmod(0o755)
    replace(root / 'etc/systemd/system/agent.service', GUEST / 'agent.service')
    replace(root / 'etc/sysusers.d/users.conf', user_lines)
    replace(root / 'etc/machine-id', b'00000000000000000000000000000001\n')  # else a first boot presets all units
    call('systemctl', f'--root={root}', '--quiet', 'enable', 'agent.service')
    call('systemctl', f'--root={root}', '--quiet', 'mask', *UNWANTED)


def replace(path, content):
    """Writes a new file, since the old one has a link in the cache."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.read_bytes())


# ---- small change

def call(*arguments, **environment):
    done = subprocess.run([str(argument) for argument in arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, env=os.environ | {'PATH': PATH} | environment)
    if done.returncode:
        raise RuntimeError(f'{arguments[0]} failed with {done.returncode}:\n{done.stdout}{done.stderr}')


def fresh(path):
    """@path, with nothing there. What a failed step may have left mounted below it is not entered."""
    call('rm', '--recursive', '--force', '--one-file-system', path)
    return path


def one(directory, pattern):
    found, = directory.glob(pattern)
    return found
