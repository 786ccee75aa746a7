//! Compiles the C code that binlog is compared with.

fn main() {
    println!("cargo::rerun-if-changed=c");
    // Optimised as firmware and distributions do, in every profile.
    cc::Build::new().files(["c/floor.c", "c/read.c"]).opt_level(2).compile("beside");
    // As Betaflight's release builds optimise their hot units.
    cc::Build::new().file("c/blackbox.c").opt_level(3).compile("blackbox");
}
