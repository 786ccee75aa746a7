//! Compiles the C sinks with newlib's memcpy, copies README's program for a microcontroller, and links with
//! cortex-m-rt's script, which finds the board's memory.x by examples/board.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The Blackbox encoder in C that tests/performance measures, too.
const ENCODER: &str = "../performance/c/blackbox.c";

const README: &str = "../../README.md";

const GUIDE: &str = "../../binlog-embedded/src/guide.md";

fn main() {
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed={ENCODER}");
    println!("cargo::rerun-if-changed={README}");
    println!("cargo::rerun-if-changed={GUIDE}");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo::rustc-link-arg-bins=-Tlink.x");

    let cpu: &[&str] = match env::var("TARGET").as_deref() {
        Ok("thumbv6m-none-eabi") => &["-mcpu=cortex-m0"],
        Ok("thumbv7m-none-eabi") => &["-mcpu=cortex-m3"],
        Ok("thumbv7em-none-eabihf") => &["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
        target => panic!("no C for {target:?}"),
    };
    let gcc = |arguments: &[&str], from: &Path, to: &Path| {
        let mut command = Command::new("arm-none-eabi-gcc");
        command.args(cpu).args(["-mthumb", "-o"]).arg(to).arg(from).args(arguments);
        run(&mut command);
    };
    for (program, name, source, level) in [
        ("instructions", "sinks", "c/sinks.c", "-O2"),
        ("blackbox", "frames", "c/frames.c", "-O2"),
        ("blackbox", "encoder", ENCODER, "-O3"),
    ] {
        let object = |step: &str| folder.join(format!("{name}-{step}.o"));
        let (compiled, linked) = (object("compiled"), object("linked"));
        gcc(
            &[level, "-std=c11", "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-c"],
            Path::new(source),
            &compiled,
        );
        // Each language keeps its own memcpy, as in a program that has only that language: newlib's is linked in here,
        // and its name hidden from Rust, whose own is that of compiler_builtins.
        gcc(&["-r", "-nostdlib", "-lc"], &compiled, &linked);
        run(Command::new("arm-none-eabi-objcopy").args(["--wildcard", "--keep-global-symbol=c_*"]).arg(&linked));
        println!("cargo::rustc-link-arg-bin={program}={}", linked.display());
    }
    fs::write(folder.join("readme.rs"), readme()).expect("OUT_DIR is writable");
    fs::write(folder.join("mem.rs"), mem()).expect("OUT_DIR is writable");
}

/// The program of README that uses `binlog_embedded`. Without the feature `text` it logs no texts. A Cortex-M0 has no
/// cycle counter, so the clock is SysTick, which takes as many bytes. With the feature `small`, which runs under QEMU,
/// where no processor has one, it's a function of the program; and the ring has 4 KiB.
fn readme() -> String {
    let readme = fs::read_to_string(README).expect("README");
    let mut programs = readme.split("```rust,no_run\n").skip(1).filter_map(|rest| rest.split("```").next());
    let program = programs.find(|program| program.contains("use binlog_embedded::"));
    let mut program = program.expect("a program with binlog_embedded").to_owned();
    let mut replace = |from: &str, to: &str| {
        assert!(program.contains(from), "README has another program, without {from}:\n{program}");
        program = program.replace(from, to);
    };
    if env::var_os("CARGO_FEATURE_SMALL").is_some() {
        replace("use cortex_m::peripheral::DWT;\n", "");
        replace("DWT::cycle_count", "crate::cycles");
        replace("Logger<FlightLog, 16384>", "Logger<FlightLog, 4096>");
    } else {
        replace("peripheral::DWT", "peripheral::SYST");
        replace("DWT::cycle_count", "SYST::get_current");
    }
    if env::var_os("CARGO_FEATURE_TEXT").is_none() {
        replace("LOG.error(error);", "let _ = error;");
    }
    program
}

/// The guide's functions that copy and fill memory.
fn mem() -> String {
    let guide = fs::read_to_string(GUIDE).expect("the guide");
    let mut blocks = guide.split("```ignore\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.find(|block| block.contains("memcpy:")).expect("the guide has memcpy").to_owned()
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
