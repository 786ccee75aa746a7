//! Compiles the C floor.

fn main() {
    println!("cargo::rerun-if-changed=c/floor.c");
    // A firmware's optimisation, whatever the profile.
    cc::Build::new().file("c/floor.c").opt_level(2).compile("floor");
}
