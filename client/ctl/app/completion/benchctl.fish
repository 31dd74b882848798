# SPDX-License-Identifier: GPL-3.0-or-later
#
# Completion of benchctl for fish. benchctl itself knows its commands, options, jobs and benchmarks: see client/ctl/app/complete.h.

function __benchctl_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' $begun)
    for candidate in ($words[1] --complete $words[2..-1] "$begun" 2>/dev/null)
        switch $candidate
            case ':files' ':modules'
                for path in (__fish_complete_path (string replace -- "$option" '' $begun))
                    echo "$option$path"
                end
            case ':commands'
                complete -C "$begun"
            case '*'
                echo $candidate
        end
    end
end

complete -c benchctl -f -a '(__benchctl_complete)'
