# SPDX-License-Identifier: GPL-3.0-or-later

# Sourced by the set-up scripts: makes sure that the packages in the named files are installed.

packages_missing() {
        sed '/^#/d' "$@" | while read -r package; do
                case "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null)" in
                ii*) ;;
                *) echo "$package" ;;
                esac
        done
}

# As root it installs the missing packages; otherwise it names them and ends the script.
packages_need() {
        local missing
        missing=$(packages_missing "$@" | tr '\n' ' ')
        [ -n "$missing" ] || return 0
        if [ "$(id -u)" != 0 ]; then
                echo "These Debian packages are missing: $missing" >&2
                echo "Install them as root, with: apt-get install $missing" >&2
                exit 1
        fi
        echo "== packages: $missing"
        apt-get -qq update
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $missing >/dev/null
}

# As packages_need, for packages with services: none of those that it installs starts, now or at the next boot, as Debian would have it.
packages_need_unstarted() {
        local policy=/usr/sbin/policy-rc.d added package
        added=$(packages_missing "$@")
        [ -n "$added" ] || return 0
        if [ "$(id -u)" = 0 ] && [ ! -e $policy ]; then
                printf '#!/bin/sh\nexit 101\n' >$policy
                chmod 755 $policy
                packages_need "$@"
                rm $policy
        else
                packages_need "$@"
        fi
        for package in $added; do
                dpkg-query -L "$package" | sed -n 's|^/lib/systemd/system/\(.*\.service\)$|\1|p'
        done | xargs --no-run-if-empty systemctl --quiet disable
}
