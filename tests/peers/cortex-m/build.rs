//! Compiles the peer in C that a feature chooses with newlib's memcpy, and links with cortex-m-rt's script.

#[path = "../sources.rs"]
#[allow(dead_code, reason = "a feature needs one of them")]
mod sources;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=../c");
    println!("cargo::rerun-if-changed=../sources.rs");
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let c = Path::new("../c");
    if has("FATFS") {
        let exfat = if has("EXFAT") { "-DEXFAT=1" } else { "-DEXFAT=0" };
        let files = sources::fatfs(c, &out);
        compile(&out, &files, &[exfat, "-I", &out.display().to_string()]);
    }
    if has("LITTLEFS") {
        let (headers, files) = sources::littlefs(c);
        let mut flags = vec!["-I", headers.to_str().expect("cargo's folder is UTF-8")];
        flags.extend(sources::LITTLEFS_FLAGS);
        compile(&out, &files, &flags);
    }
}

/// So that the linker can leave out what isn't called.
const SECTIONS: [&str; 2] = ["-ffunction-sections", "-fdata-sections"];

/// Links the files to one object that needs nothing but the caller's medium, at the level of the Rust program.
fn compile(out: &Path, files: &[PathBuf], flags: &[&str]) {
    let cpu = match env::var("TARGET").as_deref() {
        Ok("thumbv6m-none-eabi") => "-mcpu=cortex-m0",
        Ok("thumbv7m-none-eabi") => "-mcpu=cortex-m3",
        target => panic!("no C for {target:?}"),
    };
    let level = if env::var("OPT_LEVEL").as_deref() == Ok("3") { "-O3" } else { "-Os" };
    let gcc = |arguments: &mut Command| {
        let status = arguments.args([cpu, "-mthumb"]).status().unwrap_or_else(|error| panic!("{error}"));
        assert!(status.success(), "{arguments:?}: {status}");
    };
    let mut objects = Vec::new();
    for file in files {
        let object = out.join(file.with_extension("o").file_name().expect("a file has a name"));
        let mut command = Command::new("arm-none-eabi-gcc");
        command.args([level, "-flto", "-std=c11", "-w", "-c"]).args(SECTIONS).args(flags);
        gcc(command.arg("-o").arg(&object).arg(file));
        objects.push(object);
    }
    let linked = out.join("peer.o");
    // newlib's and libgcc's functions are linked in here, and their names hidden from Rust, which has its own.
    let mut command = Command::new("arm-none-eabi-gcc");
    command.args([level, "-flto", "-flinker-output=nolto-rel", "-r", "-nostdlib"]).args(SECTIONS);
    gcc(command.arg("-o").arg(&linked).args(&objects).args(["-lc", "-lgcc"]));
    let globals = ["fatfs_*", "littlefs_*"].map(|name| format!("--keep-global-symbol={name}"));
    let mut command = Command::new("arm-none-eabi-objcopy");
    let status = command.arg("--wildcard").args(globals).arg(&linked).status().expect("objcopy runs");
    assert!(status.success(), "{status}");
    println!("cargo::rustc-link-arg-bins={}", linked.display());
}
