//! Links the firmware with cortex-m-rt's script and this board's memory.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=memory.x");
    // On the host only the library is built, which links to nothing.
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("arm") {
        return;
    }
    // Copied, so that the linker finds this file whatever folder it runs in.
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy("memory.x", folder.join("memory.x")).expect("memory.x is copied into OUT_DIR");
    println!("cargo::rustc-link-search={}", folder.display());
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
}
