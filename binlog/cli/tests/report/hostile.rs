//! Texts, labels, parameters and file names of a log are text on the page, even if they look like markup.

use crate::{json, report};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::fs;

/// What a browser would run if it were markup.
const HOSTILE: &str = "</title></bdi><script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{js}}";

/// A text of 64 bytes.
fn chars64(text: &str) -> [u8; 64] {
    let mut bytes = [0; 64];
    let length = text.len().min(64);
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    bytes
}

fn chars16(text: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    let length = text.len().min(16);
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    bytes
}

/// A log in which everything that may be text is hostile, with findings.
pub(crate) fn log() -> Vec<u8> {
    let mut log = RawLog::with_units();
    log.fmt(30, "MSG", "QZ", "TimeUS,Message").fmt(31, "PARM", "QNff", "TimeUS,Name,Value,Default");
    log.fmt(32, "MODE", "QNB", "TimeUS,Mode,Rsn").fmt(33, "<b>\"", "QB", "TimeUS,<i>&\"");
    log.fmt(34, "VIBE", "QNfff", "TimeUS,IMU,VibeX,VibeY,VibeZ").fmtu(34, "s#ooo", "F-000");
    log.record(30, &payload![1_000_000_u64, chars64(HOSTILE)]);
    log.record(30, &payload![1_000_000_u64, chars64("\u{202e}<svg onload=alert(3)>\u{7}\u{0}")]);
    log.record(31, &payload![1_000_000_u64, chars16("<u onclick=a()>"), 1.0_f32, f32::NAN]);
    log.record(32, &payload![1_000_000_u64, chars16("<s>\"M&{{js}}"), 3_u8]);
    log.record(33, &payload![1_000_000_u64, 1_u8]);
    for i in 0..100_u64 {
        log.record(34, &payload![1_000_000 + i * 100_000, chars16("</p><b>x"), 70_f32, f32::NAN, f32::INFINITY]);
    }
    log.bytes
}

#[test]
fn nothing_of_a_log_is_markup() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Windows allows no such names.
    let name = if cfg!(windows) { "hostile.bin" } else { "<img src=x onerror=alert(4)>{{css}}.bin" };
    fs::write(folder.path().join(name), log()).expect("room");
    report(folder.path(), name).args(["-o", "page.html"]).assert().success();
    let page = fs::read_to_string(folder.path().join("page.html")).expect("the page");
    assert_eq!(page.matches("<script").count(), 1, "its own");
    for markup in ["<img", "<b>", "<i>", "<s>", "<u ", "<svg onload", "</bdi></bdi>", "\u{7}"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "the text is there");
    assert!(page.contains("{{js}}"), "braces of a text are not filled");
    let found = crate::found(&json(folder.path(), name, &[]));
    assert!(found.contains("vibration") && found.contains("failsafe"), "{found:?}");
}

#[test]
fn a_page_stays_small_with_endless_texts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut log = RawLog::with_units();
    log.fmt(30, "MSG", "QZ", "TimeUS,Message").fmt(31, "ERR", "QBB", "TimeUS,Subsys,ECode");
    log.fmt(32, "MODE", "QNB", "TimeUS,Mode,Rsn");
    for i in 0..30_000_u64 {
        log.record(30, &payload![i * 1000, chars64("<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<")]);
        log.record(31, &payload![i * 1000, (i % 256) as u8, (i / 256) as u8]);
        log.record(32, &payload![i * 1000, chars16("<<<<<<<<<<<<<<<"), (i % 40) as u8]);
    }
    fs::write(folder.path().join("long.bin"), log.bytes).expect("room");
    report(folder.path(), "long.bin").args(["-o", "page.html"]).assert().success();
    let size = fs::metadata(folder.path().join("page.html")).expect("the page").len();
    assert!(size <= 800_000, "{size}");
}
