# Functions for scripts that build firmware. They install what is missing where possible, and use Rust for the target
# from rustup or Debian. Source this file; the script sets `name`, with which its messages begin.
# shellcheck shell=bash

say() { printf '\n%s: %s\n' "$name" "$*"; }
fail() { printf '%s: %s\n' "$name" "$1" >&2; exit "${2:-1}"; }

# Installs Debian packages; fails if that isn't possible.
install() {
    [ -z "${BINLOG_NO_INSTALL:-}" ] && command -v apt-get >/dev/null || return 1
    local sudo=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
        sudo=(sudo -n)
    fi
    say "installing $* with apt-get"
    ${sudo[@]+"${sudo[@]}"} apt-get update -qq &&
        ${sudo[@]+"${sudo[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

# need PROGRAM PACKAGE
need() {
    command -v "$1" >/dev/null || { install "$2" && command -v "$1" >/dev/null; } ||
        fail "$1 is missing (apt-get install $2)"
}

# The target of a processor.
target_of() {
    case $1 in
    cortex-m0) echo thumbv6m-none-eabi ;;
    cortex-m3) echo thumbv7m-none-eabi ;;
    cortex-m4) echo thumbv7em-none-eabihf ;;
    *) return 1 ;;
    esac
}

debian=(rustc-web cargo-web rust-web-src)
has_rustup_target() { rustup target list --installed 2>/dev/null | grep -qx "$1"; }
has_debian() { dpkg -s "${debian[@]}" >/dev/null 2>&1; }
add_rustup_target() {
    [ -z "${BINLOG_NO_INSTALL:-}" ] && command -v rustup >/dev/null || return 1
    say "installing $1 with rustup"
    rustup target add "$1" && has_rustup_target "$1"
}

# choose_rust TARGET: sets `rust` to rustup or debian, whichever has the target or can install it.
choose_rust() {
    if has_rustup_target "$1"; then
        rust=rustup
    elif has_debian; then
        rust=debian
    elif add_rustup_target "$1"; then
        rust=rustup
    elif install "${debian[@]}" && has_debian; then
        rust=debian
    else
        fail "no Rust for $1 (rustup target add $1, or apt-get install ${debian[*]})"
    fi
}

# build TARGET FOLDER [ARGUMENT]...: builds FOLDER's package for release, with more arguments for cargo. Sets `built` to
# the folder with the programs.
build() {
    choose_rust "$1"
    "build_with_$rust" "$@"
}

target_dir_of() {
    local target_dir=${CARGO_TARGET_DIR:-$1/target}
    case $target_dir in /*) ;; *) target_dir=$PWD/$target_dir ;; esac
    echo "$target_dir"
}

# cargo looks for .cargo/config.toml from its working directory upwards.
build_with_rustup() {
    local target=$1 folder=$2 target_dir
    shift 2
    target_dir=$(target_dir_of "$folder")
    say "building for $target with rustup's toolchain"
    (cd "$folder" && CARGO_TARGET_DIR=$target_dir cargo build --release --target "$target" "$@") || return
    built=$target_dir/$target/release
}

# Debian's toolchain has the source of `core` instead of a compiled one, and no linker for Arm.
build_with_debian() {
    local target=$1 folder=$2 target_dir linker
    shift 2
    need arm-none-eabi-ld binutils-arm-none-eabi
    say "building for $target with Debian's toolchain (rustc-web)"
    target_dir=$(target_dir_of "$folder")/debian
    linker=CARGO_TARGET_$(tr a-z- A-Z_ <<<"$target")_LINKER
    (cd "$folder" && env "$linker=arm-none-eabi-ld" CARGO_TARGET_DIR="$target_dir" PATH="/usr/bin:$PATH" \
        RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
        /usr/bin/cargo build -Zbuild-std=core --release --target "$target" "$@") || return
    built=$target_dir/$target/release
}
