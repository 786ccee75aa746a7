//! Links the firmware with cortex-m-rt's script, which finds the board's memory.x by examples/board.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // On the host only the library is built, which links to nothing.
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("arm") {
        println!("cargo::rustc-link-arg-bins=-Tlink.x");
    }
}
