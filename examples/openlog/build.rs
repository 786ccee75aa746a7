//! Links the firmware with cortex-m-rt's script, which finds the board's memory.x by examples/board.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
}
