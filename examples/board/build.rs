//! Lets the linker find this board's memory.x, for every program that depends on this crate.
//!
//! Such a program says `cargo::rustc-link-arg-bins=-Tlink.x` in a build script of its own, which cargo doesn't take
//! from a dependency.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let memory = if env::var_os("CARGO_FEATURE_SMALL").is_some() { "small.x" } else { "memory.x" };
    println!("cargo::rerun-if-changed={memory}");
    // Copied, so that the linker finds this file from any folder.
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy(memory, folder.join("memory.x")).expect("memory.x is copied into OUT_DIR");
    println!("cargo::rustc-link-search={}", folder.display());
}
