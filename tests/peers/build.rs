//! Compiles ChaN's FatFs and littlefs for the host.

mod sources;

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed=sources.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let c = Path::new("c");
    let files = sources::fatfs(c, &out);
    build().files(files).include(&out).define("EXFAT", "1").compile("fatfs");
    let (headers, files) = sources::littlefs(c);
    build().flags(sources::LITTLEFS_FLAGS).files(files).include(headers).compile("littlefs");
}

fn build() -> cc::Build {
    let mut build = cc::Build::new();
    build.opt_level(2).warnings(false);
    build
}
