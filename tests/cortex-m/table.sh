# Figures by row and column: printed as a table, and compared with tests/cortex-m/bounds. Source this file after
# toolchain.sh.
# shellcheck shell=bash

declare -A figure=()
rows=()

# put ROW COLUMN FIGURE
put() {
    case " ${rows[*]-} " in *" $1 "*) ;; *) rows+=("$1") ;; esac
    figure[$1 $2]=$3
}

# table WIDTH COLUMN...: WIDTH is the width of the rows' names.
table() {
    local width=$1 row column
    shift
    printf "%-${width}s" ''
    printf ' %15s' "$@"
    printf '\n'
    for row in "${rows[@]}"; do
        printf "%-${width}s" "$row"
        for column in "$@"; do printf ' %15s' "${figure[$row $column]:--}"; done
        printf '\n'
    done
}

# check_bounds TABLE...: fails if a figure is missing or above its bound. A line of the file is `TABLE ROW COLUMN BOUND`,
# or `TABLE ROW COLUMN FACTOR x ROW`: the factor times the figure of that row.
check_bounds() {
    local table row column bound times other failed=0 compared=0
    while read -r table row column bound times other; do
        case " $* " in *" $table "*) ;; *) continue ;; esac
        compared=$((compared + 1))
        awk -v figure="${figure[$row $column]:-missing}" -v bound="$bound" -v other="${other:+${figure[$other $column]:-missing}}" \
            'BEGIN { exit !(figure != "missing" && other != "missing" && figure + 0 <= bound * (other == "" ? 1 : other)) }' ||
            { printf '%s: %s %s is %s, above %s\n' "$name" "$row" "$column" "${figure[$row $column]:-missing}" \
                "$bound${times:+ $times $other}" >&2; failed=1; }
    done < <(grep -v '^#' "$here/bounds")
    [ $compared -gt 0 ] || fail "there are no bounds for $*"
    [ $failed = 0 ] || fail "costs more than its bound"
    printf '%s: %d figures are within their bounds\n' "$name" $compared
}

# sections PROGRAM NAME...: bytes of all of these sections of a program in the folder `built`.
sections() {
    local program=$1
    shift
    arm-none-eabi-size -A "$built/$program" |
        awk -v names=" $* " 'index(names, " " $1 " ") { bytes += $2 } END { print bytes + 0 }'
}
