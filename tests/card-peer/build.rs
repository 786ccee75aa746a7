//! Compiles ChaN's FatFs from the sources in the crate `fatfs-embedded`, with a configuration of our own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=c");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let sources = fatfs();
    // They find their configuration beside them.
    for name in ["ff.c", "ff.h", "ffunicode.c", "diskio.h"] {
        fs::copy(sources.join(name), out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    fs::copy("c/ffconf.h", out.join("ffconf.h")).expect("the configuration can be copied");
    cc::Build::new()
        .files([out.join("ff.c"), out.join("ffunicode.c"), PathBuf::from("c/flight.c")])
        .include(&out)
        .opt_level(2)
        .warnings(false)
        .compile("fatfs");
}

/// Where cargo has unpacked the sources.
fn fatfs() -> PathBuf {
    let cargo = env::var_os("CARGO").expect("cargo sets CARGO");
    let output =
        Command::new(cargo).args(["metadata", "--format-version", "1", "--locked"]).output().expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let package = packages.filter(|package| package["name"] == "fatfs-embedded");
    let manifest =
        package.filter_map(|package| package["manifest_path"].as_str()).next().expect("fatfs-embedded is there");
    Path::new(manifest).with_file_name("fatfs/source")
}
