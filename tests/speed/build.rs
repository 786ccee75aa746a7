//! Compiles the C that binlog is measured beside.

fn main() {
    println!("cargo::rerun-if-changed=c");
    // A firmware's optimisation, and a distribution's, whatever the profile.
    cc::Build::new().files(["c/floor.c", "c/read.c"]).opt_level(2).compile("beside");
}
