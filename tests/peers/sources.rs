//! The sources in C of ChaN's FatFs and of littlefs, from crates that cargo has unpacked. Both build scripts have this.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Copies FatFs beside its configuration in `c`, where it looks for it. Returns the files to compile.
pub fn fatfs(c: &Path, out: &Path) -> Vec<PathBuf> {
    let sources = package("fatfs-embedded").join("fatfs/source");
    for name in ["ff.c", "ff.h", "ffunicode.c", "diskio.h"] {
        fs::copy(sources.join(name), out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    fs::copy(c.join("ffconf.h"), out.join("ffconf.h")).expect("the configuration can be copied");
    vec![out.join("ff.c"), out.join("ffunicode.c"), c.join("fatfs.c")]
}

/// The folder with littlefs' headers, and the files to compile with [`LITTLEFS_FLAGS`].
pub fn littlefs(c: &Path) -> (PathBuf, Vec<PathBuf>) {
    let sources = package("littlefs2-sys").join("littlefs");
    let files = vec![sources.join("lfs.c"), sources.join("lfs_util.c"), c.join("littlefs.c")];
    (sources, files)
}

/// Neither texts nor a heap, as the crate `littlefs2` has it.
pub const LITTLEFS_FLAGS: [&str; 5] =
    ["-DLFS_NO_DEBUG", "-DLFS_NO_WARN", "-DLFS_NO_ERROR", "-DLFS_NO_ASSERT", "-DLFS_NO_MALLOC"];

/// Where cargo has unpacked a package.
fn package(name: &str) -> PathBuf {
    let cargo = env::var_os("CARGO").expect("cargo sets CARGO");
    let output =
        Command::new(cargo).args(["metadata", "--format-version", "1", "--locked"]).output().expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut package = packages.filter(|package| package["name"] == name);
    let manifest = package.find_map(|package| package["manifest_path"].as_str());
    Path::new(manifest.unwrap_or_else(|| panic!("{name} is there"))).with_file_name("")
}
