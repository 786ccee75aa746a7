# Functions for tests/run and its parts: steps with their times, what is left out, and what is installed.
# shellcheck shell=bash

# shellcheck source=../examples/firmware/toolchain.sh
source examples/firmware/toolchain.sh

# A folder for the builds, as an absolute path.
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
export CARGO_TARGET_DIR=$target
# What one build keeps for the next makes the target folder half as large again.
export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0}

steps=() step='' began=0 left_out=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step TEXT: ends the step before, and begins one.
step() {
    [ -z "$step" ] || steps+=("$(printf '%5d s  %s' $((SECONDS - began)) "$step")")
    step=$1 began=$SECONDS
    [ -z "$step" ] || say "$step"
}

# tests ARGUMENT…: cargo test. Tests print what they leave out past the harness's capture.
tests() { cargo test "$@" 2>&1 | tee -a "$log"; }

# What was run and what was left out.
report() {
    step ''
    while IFS= read -r line; do left_out+=("$line"); done < <(sed -n 's/^left out: //p' "$log" | sort -u)
    say "how long each step took"
    printf '  %s\n' "${steps[@]}" "$(printf '%5d s  all' $SECONDS)"
    if [ ${#left_out[@]} = 0 ]; then
        say "all tests passed, nothing was left out"
    else
        say "all tests passed; left out:"
        printf '  %s\n' "${left_out[@]}"
    fi
}

# room_for GB: fails at once where a full disk would be found half an hour later.
room_for() {
    local used room
    mkdir -p "$target"
    used=$(du -sk --exclude=mutants "$target" 2>/dev/null | cut -f1) || true
    room=$(($(df -Pk "$target" | awk 'NR == 2 { print $4 }') + ${used:-0}))
    [ $room -ge $(($1 * 1000000)) ] ||
        fail "needs $1 GB for $target: it has $((room / 1000000)) GB, with what it already uses. Make room, or set
CARGO_TARGET_DIR to a folder on a larger disk"
}

# packages PIP_ARGUMENT…: installs Python packages into the virtual environment of the tests.
packages() {
    [ -z "${BINLOG_NO_INSTALL:-}" ] || return 1
    say "installing $* into $python_env"
    "$python_env/bin/pip" install --quiet --disable-pip-version-check "$@"
}
has_packages() { "$python_env/bin/python" -c "import $1" 2>/dev/null; }

# A virtual environment with the version of pymavlink that the tests expect, and further packages by function name.
# Tests leave out what is done with a missing one, and say so.
python_env=$target/python
[ ! -x "$python_env/bin/python" ] || export BINLOG_PYTHON=$python_env/bin/python
python() {
    local wanted=pymavlink==2.4.50 more
    if ! "$python_env/bin/pip" freeze 2>/dev/null | grep -qx "$wanted"; then
        [ -z "${BINLOG_NO_INSTALL:-}" ] || return 0
        rm -rf "$python_env"
        python3 -m venv "$python_env" 2>/dev/null ||
            { install python3 python3-venv && python3 -m venv "$python_env"; } || return 0
        packages "$wanted" || return 0
    fi
    export BINLOG_PYTHON=$python_env/bin/python
    for more in "$@"; do "$more" || true; done
}

# What pymavlink's tools for graphs and files need, and mavdataflash, without its dependencies pandas and pyarrow, which
# it doesn't need here. mavgraph.py needs what matplotlib 3.11 removed.
viewer_packages() {
    has_packages "lxml, matplotlib, MAVdataflash, scipy" ||
        { packages lxml 'matplotlib<3.11' polars scipy && packages --no-deps mavdataflash==3.0.0; }
}

# A ground station, without its dependencies, which are for its maps.
mavproxy() { has_packages "MAVProxy, serial" || packages --no-deps MAVProxy==1.8.75 pyserial; }

# What reads the files that `binlog export` writes.
export_readers() { has_packages "duckdb, mcap, pandas, polars, pyarrow" || packages duckdb mcap pandas polars pyarrow; }

# What runs the tests of the wheel.
wheel_tests() {
    export_readers && { has_packages pytest || packages pytest; } || return
    engines || left_out+=("Sail and Spark on logs and data sets, whose packages can't be installed")
}

# Engines that read logs and data sets: Sail, and where Java 17 or later is, Spark (700 MB together).
engines() {
    has_packages "pysail, pyspark" && return
    if java -version 2>&1 | grep -Eq 'version "(1[7-9]|[2-9][0-9])'; then
        packages 'pysail==0.7.2' 'pyspark[connect]==4.2.0'
    else
        packages 'pysail==0.7.2' 'pyspark-client==4.2.0'
    fi
}

# A reader of Blackbox logs. It is unpacked, because pip refuses a script of its wheel.
orangebox() {
    has_packages orangebox && return
    [ -z "${BINLOG_NO_INSTALL:-}" ] || return 1
    say "installing orangebox into $python_env"
    local wheel=$python_env/orangebox python=$python_env/bin/python
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$wheel" orangebox==0.5.0 &&
        "$python" -m zipfile -e "$wheel"/*.whl "$("$python" -c "import sysconfig; print(sysconfig.get_path('purelib'))")"
}

# Programs that make, check and read cards. Tests leave out what is done with a missing one, and say so.
card_tools() (
    PATH=$PATH:/usr/sbin:/sbin
    missing=0
    for tool in icat:sleuthkit mcopy:mtools mkfs.fat:dosfstools mkfs.exfat:exfatprogs; do
        (need "${tool%:*}" "${tool#*:}") || missing=1
    done
    exit $missing
)

# The browser in which tests open the page of `binlog plot`.
browser() (
    for program in chromium chromium-browser google-chrome; do
        if command -v "$program" >/dev/null; then exit; fi
    done
    need chromium chromium
)

# The emulator and compilers for firmware. All of it is built into one folder, so that `core`, where it has to be built, is
# built once for each processor.
firmware_tools() (
    need qemu-system-arm qemu-system-arm
    need arm-none-eabi-gcc gcc-arm-none-eabi
    for cpu in cortex-m3 cortex-m4 cortex-m0; do
        choose_rust "$(target_of $cpu)"
    done
)
firmware=$target/firmware
