# SPDX-License-Identifier: GPL-3.0-or-later
#
# Completion of benchctl for bash. benchctl itself knows its commands, options, jobs and benchmarks: see client/ctl/app/complete.h.

_benchctl() {
    local line=$COMP_LINE blank word whole last kept i candidate kind words=() kinds=()

    # bash breaks words at = : and @ too; those that no blank parts are one
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${line%%[^[:blank:]]*}
        word=${COMP_WORDS[i]}
        if ((i == 0)) || [[ $blank ]]; then
            words+=("$word")
        else
            words[-1]+=$word
        fi
        line=${line#"$blank"}
        line=${line#"$word"}
    done
    ((${#words[@]} > 1)) || words+=("")

    # a reply replaces what stands behind the last break
    whole=${words[-1]}
    last=${whole##*[=:@]}
    [[ $COMP_WORDBREAKS == *[=:@]* ]] || last=$whole
    kept=${whole%"$last"}

    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        case $candidate in
        :*) kinds+=("$candidate") ;;
        "$kept"*) COMPREPLY+=("${candidate#"$kept"}") ;;
        esac
    done < <("${words[0]/#\~\//$HOME/}" --complete "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null

    for word in "${kinds[@]}"; do
        compopt -o filenames 2>/dev/null
        while IFS= read -r candidate; do
            COMPREPLY+=("$candidate")
        done < <(
            if [[ $word == :modules ]]; then
                compgen -d -- "$last"
                for kind in so c cc cpp cxx; do
                    compgen -f -X "!*.$kind" -- "$last"
                done
            elif [[ $word == :commands ]]; then
                compgen -c -- "$last"
            else
                compgen -f -- "$last"
            fi
        )
    done
    return 0
}

complete -F _benchctl benchctl
