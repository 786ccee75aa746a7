//! Chromium without a window.

use crate::left_out::left_out;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A page that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser: `BINLOG_CHROMIUM`, or one that is installed. `None` without one; stderr then says so.
fn find() -> Option<PathBuf> {
    let given = std::env::var_os("BINLOG_CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
    let runs = |program: &PathBuf| {
        let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    let found = given.into_iter().chain(names).find(runs);
    if found.is_none() {
        left_out("pages in Chromium, which is not installed (tests/run program installs it)");
    }
    found
}

/// The document of a page after its scripts have run, as text, and what the page wrote to the console: errors, warnings
/// and what its policy forbids. `None` without a browser.
pub(crate) fn visit(page: &Path, dark: bool) -> Option<(String, String)> {
    let browser = find()?;
    let profile = tempfile::tempdir().expect("a temporary folder");
    let [output, errors] = ["dom.html", "errors.txt"].map(|name| profile.path().join(name));
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync", "--window-size=1200,900", "--virtual-time-budget=10000"])
        .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .stdout(std::fs::File::create(&output).expect("room"))
        .stderr(std::fs::File::create(&errors).expect("room"));
    if dark {
        command.arg("--blink-settings=preferredColorScheme=0");
    }
    let mut child = command.spawn().expect("the browser runs");
    let since = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if since.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the browser takes more than {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let dom = std::fs::read_to_string(output).expect("the browser prints UTF-8");
    let errors = String::from_utf8_lossy(&std::fs::read(errors).expect("its errors")).into_owned();
    Some((dom, errors.lines().filter(|line| line.contains("CONSOLE")).collect::<Vec<_>>().join("\n")))
}
