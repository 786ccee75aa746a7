//! Hostile files: folders and devices, files that can't be read, that change, that are longer than 4 GiB; pipes and
//! standard input.

use binlog::log::OpenError;
use binlog::{Log, Reason, RecordStream, Scaling};
use binlog_tests::left_out;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, thread};

const EV: u8 = 1;

fn events(times: std::ops::Range<u64>) -> RawLog {
    let mut log = RawLog::new();
    log.fmt(EV, "EV", "QB", "TimeUS,Id");
    for time_us in times {
        log.record(EV, &payload![time_us, 10_u8]);
    }
    log
}

fn times(log: &Log<'_>) -> Vec<u64> {
    log.rows("EV").expect("the log has it").times_us()
}

fn map(path: &Path) -> Result<Log<'static>, OpenError> {
    // SAFETY: no test changes a file that it maps.
    unsafe { Log::map(path) }
}

/// The error of both ways to a log, which fail alike: its kind and its text.
fn error(path: &Path) -> (ErrorKind, String) {
    let opened = Log::open(path).map(|_| ()).expect_err("it can't be opened");
    let mapped = map(path).map(|_| ()).expect_err("it can't be mapped");
    assert_eq!((opened.kind(), opened.path()), (mapped.kind(), path));
    let text = opened.to_string();
    assert_eq!(mapped.to_string(), text);
    let as_io_error = io::Error::from(opened);
    assert_eq!((as_io_error.kind(), as_io_error.to_string()), (mapped.kind(), text.clone()));
    // Nothing is said twice in the chain.
    assert!(as_io_error.source().is_none());
    (mapped.kind(), text)
}

#[test]
fn an_empty_file_is_a_log_without_records() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    for log in [Log::open(file.path()), map(file.path())] {
        let log = log.expect("a readable file");
        assert_eq!((log.bytes().len(), log.types().count(), log.skipped().len()), (0, 0, 0));
    }
}

#[test]
fn what_can_not_be_opened_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (kind, text) = error(folder.path());
    assert_eq!(kind, ErrorKind::IsADirectory);
    assert_eq!(text, format!("can't open {}: is a directory", folder.path().display()));
    let missing = folder.path().join("no such log.bin");
    let (kind, text) = error(&missing);
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(text.starts_with(&format!("can't open {}: ", missing.display())), "{text}");
    let (kind, _) = error(&missing.join("deeper"));
    assert_eq!(kind, ErrorKind::NotFound);
    let (kind, _) = error(Path::new("a\0b"));
    assert_eq!(kind, ErrorKind::InvalidInput);
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::set_permissions(file.path(), fs::Permissions::from_mode(0o000)).expect("permission to take it away");
    if File::open(file.path()).is_ok() {
        left_out("a file without permission, which root has all the same");
        return;
    }
    assert_eq!(error(file.path()).0, ErrorKind::PermissionDenied);
}

/// The first page of a process is never there, so that reading it fails whoever reads.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_fails_to_be_read_is_named() {
    let path = Path::new("/proc/self/mem");
    let error = Log::open(path).map(|_| ()).expect_err("it can't be read");
    let text = error.to_string();
    assert!(text.starts_with("can't read /proc/self/mem: ") && text.ends_with("(os error 5)"), "{text}");
    assert!(map(path).is_err());
}

/// Those of the system say that they have no length.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_hides_its_length_is_read_to_its_end() {
    let path = Path::new("/proc/self/status");
    for log in [Log::open(path), map(path)] {
        let log = log.expect("a readable file");
        assert!(log.bytes().starts_with(b"Name:"));
        assert_eq!(log.skipped().iter().map(|skipped| skipped.length).collect::<Vec<_>>(), [log.bytes().len()]);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_to_its_end_and_not_mapped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        left_out("named pipes, for which mkfifo is missing");
        return;
    }
    let log = events(0..10_000);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut pipe = File::options().write(true).open(&pipe).expect("a reader");
            // In pieces, and with pauses that aren't the end.
            for piece in log.bytes.chunks(50_000) {
                pipe.write_all(piece).expect("a reader");
                thread::sleep(Duration::from_millis(20));
            }
        });
        assert_eq!(times(&Log::open(&pipe).expect("a readable pipe")), (0..10_000).collect::<Vec<_>>());
    });
    // Opened to read and write, so that nobody waits for the other end.
    let _held = File::options().read(true).write(true).open(&pipe).expect("a pipe");
    assert!(map(&pipe).is_err());
}

const CHILD: &str = "BINLOG_HOSTILE_FILES_CHILD";

/// Run by the test below in a process of its own: what it reads, it says.
#[test]
fn child() {
    let log = match env::var(CHILD).as_deref() {
        Ok("open") => Log::open("/dev/stdin").expect("a readable standard input"),
        Ok("read") => Log::from_reader(io::stdin()).expect("a readable standard input"),
        _ => return,
    };
    println!("events: {}", times(&log).len());
}

#[cfg(unix)]
#[test]
fn standard_input_is_read_as_a_pipe_and_as_a_file() {
    let bytes = events(0..20_000).bytes;
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(&bytes).expect("room for the log");
    let child = |way: &str| {
        let mut command = Command::new(env::current_exe().expect("the test's program"));
        command.args(["--exact", "hostile_files::child", "--nocapture"]).env(CHILD, way).stdout(Stdio::piped());
        command
    };
    let said = |output: Vec<u8>| {
        let output = String::from_utf8_lossy(&output).into_owned();
        assert!(output.contains("events: 20000\n"), "{output}");
    };
    for way in ["open", "read"] {
        let input = File::open(file.path()).expect("the file");
        said(child(way).stdin(input).output().expect("the test's program runs").stdout);
        let mut running = child(way).stdin(Stdio::piped()).spawn().expect("the test's program runs");
        running.stdin.take().expect("a pipe").write_all(&bytes).expect("a reader");
        said(running.wait_with_output().expect("the test's program ends").stdout);
    }
}

/// The records that a file of events holds, as many as have been written.
struct Pattern {
    bytes: Vec<u8>,
}

impl Pattern {
    fn new() -> Self {
        Pattern { bytes: events(0..200_000).bytes }
    }

    /// Opens the file while something changes it: what is read is what was there, up to some place. The system may show
    /// zeros where it is just cutting.
    fn assert_read(&self, path: &Path) -> usize {
        let log = Log::open(path).expect("a readable file");
        let length = log.bytes().len();
        let is_read = |(&read, &written): (&u8, &u8)| read == written || read == 0;
        assert!(length <= self.bytes.len() && log.bytes().iter().zip(&self.bytes).all(is_read), "{length} bytes");
        length
    }
}

/// Ends the thread that changes the file, however the test ends.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Neither side depends on timing: the writer stays at most `AHEAD` bytes ahead of the reader, and the reader starts
/// again when the file has grown.
#[test]
fn a_file_that_grows_is_as_long_as_it_was() {
    const AHEAD: usize = 1 << 16;
    let pattern = Pattern::new();
    let path = tempfile::NamedTempFile::new().expect("a temporary file").into_temp_path();
    let (limit, is_over) = (AtomicUsize::new(AHEAD), AtomicBool::new(false));
    let length = || fs::metadata(&path).expect("the file").len() as usize;
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = File::options().append(true).open(&path).expect("the file");
            let mut written = 0;
            for piece in pattern.bytes.chunks(1000) {
                while written > limit.load(Ordering::Relaxed) && !is_over.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                file.write_all(piece).expect("room for the log");
                written += piece.len();
            }
        });
        let _ends = End(&is_over);
        let (mut last, mut lengths) = (0, 0);
        while last < pattern.bytes.len() {
            while length() == last {
                thread::yield_now();
            }
            let before = length();
            let read = pattern.assert_read(&path);
            assert!(last < before && before <= read && read <= length());
            (last, lengths) = (read, lengths + 1);
            limit.store(read + AHEAD, Ordering::Relaxed);
        }
        assert!(lengths >= pattern.bytes.len() / (AHEAD + 1000), "{lengths}");
    });
}

#[test]
fn a_file_that_shrinks_ends_where_it_ends() {
    let pattern = Pattern::new();
    let path = tempfile::NamedTempFile::new().expect("a temporary file").into_temp_path();
    fs::write(&path, &pattern.bytes).expect("room for the log");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = File::options().write(true).open(&path).expect("the file");
            while !is_over.load(Ordering::Relaxed) {
                for length in (0..pattern.bytes.len()).rev().step_by(1 << 16) {
                    file.set_len(length as u64).expect("it may be cut");
                }
                file.rewind().expect("a file");
                file.write_all(&pattern.bytes).expect("room for the log");
            }
        });
        let _ends = End(&is_over);
        let is_shorter = |length: usize| length < pattern.bytes.len();
        let shorter = (0..10_000).map(|_| pattern.assert_read(&path)).filter(|&length| is_shorter(length));
        assert_eq!(shorter.take(200).count(), 200, "it didn't shrink");
    });
}

/// Bytes of memory that a program may have; `None` where the system doesn't say.
fn memory() -> Option<u64> {
    let said = fs::read_to_string("/proc/meminfo").ok()?;
    let line = said.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

const FOUR_GIB: u64 = 1 << 32;

/// A file that takes no more room than its ends: definitions and events at its start, events around the mark of 4 GiB
/// and after it, and a hole in between. `None` where the disk has no holes.
fn long_file(folder: &Path) -> Option<(PathBuf, tempfile::TempDir)> {
    let folder = tempfile::tempdir_in(folder).expect("a temporary folder");
    let path = folder.path().join("long.bin");
    let mut file = File::create(&path).expect("room for a file");
    file.write_all(&events(0..10).bytes).expect("room for the log");
    // The third one crosses the mark, and a fourth part stands after a further hole.
    let definitions = events(0..0).bytes.len();
    let later = events(10..1010).bytes;
    file.seek(SeekFrom::Start(FOUR_GIB - 30)).ok()?;
    file.write_all(&later[definitions..]).ok()?;
    file.seek(SeekFrom::Current(1 << 20)).ok()?;
    file.write_all(&events(1010..1020).bytes[definitions..]).ok()?;
    file.sync_all().ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if file.metadata().expect("the file").blocks() * 512 > 100 << 20 {
            return None;
        }
    }
    Some((path, folder))
}

fn assert_is_long(log: &Log<'_>) {
    let expected: Vec<u64> = (0..1020).collect();
    // Without an index and with one.
    assert_eq!(times(log), expected);
    assert_eq!(times(log), expected);
    let [first, second] = log.skipped() else { panic!("{:?}", log.skipped()) };
    let (end, mark) = (2 * 89 + 10 * 12, FOUR_GIB as usize);
    assert_eq!((first.offset, first.length, first.reason), (end, mark - 30 - end, Reason::NoHeader));
    assert_eq!((second.offset, second.length), (mark - 30 + 1000 * 12, 1 << 20));
    assert_eq!(log.suspects(), [end - 12, second.offset - 12]);
    let offsets: Vec<usize> = log.rows("EV").expect("the log has it").records().map(|record| record.offset()).collect();
    assert_eq!((offsets[9], offsets[12], offsets[1019]), (end - 12, mark - 6, second.offset + (1 << 20) + 9 * 12));
    let numbers: Vec<f64> = expected.iter().map(|&time| time as f64).collect();
    assert_eq!(log.numbers("EV.TimeUS", Scaling::Stored), Ok(numbers.clone()));
    for table in log.tables_f64(Scaling::Stored).iter().filter(|table| table.name() == "EV") {
        assert_eq!(table.columns()[0].to_f64(Scaling::Stored), Some(numbers.clone()));
    }
    assert_eq!(log.typed::<binlog::messages::Ev>().map(Iterator::count), Ok(1020));
    assert_eq!(log.records().flatten().count(), 1022);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn records_after_4_gib_of_a_mapped_file_are_found() {
    match long_file(&env::temp_dir()) {
        Some((path, _folder)) => assert_is_long(&map(&path).expect("a file that can be mapped")),
        None => left_out("files of 4 GiB, which this disk has no holes for"),
    }
}

#[cfg(target_pointer_width = "64")]
#[test]
fn records_after_4_gib_of_a_file_that_is_read_are_found() {
    // Holes of a disk in memory are read without the system keeping a copy.
    let in_memory = PathBuf::from("/dev/shm");
    let folder = Some(in_memory).filter(|folder| folder.is_dir()).unwrap_or_else(env::temp_dir);
    let Some((path, _folder)) = long_file(&folder) else { return };
    if memory().is_none_or(|memory| memory < 3 * FOUR_GIB) {
        left_out("reading a file of 4 GiB, for which there is too little memory");
        return;
    }
    assert_is_long(&Log::open(&path).expect("a file that fits into memory"));
}

#[cfg(target_pointer_width = "64")]
#[test]
fn records_after_4_gib_of_a_stream_are_found() {
    let (mut start, mut end) = (&events(0..10).bytes[..], &events(10..20).bytes[2 * 89..]);
    let zeros = io::repeat(0).take(FOUR_GIB);
    let mut file = (&mut start).chain(zeros).chain(&mut end);
    let mut stream = Box::new(RecordStream::<{ 1 << 16 }>::new());
    let (mut offsets, mut skipped) = (Vec::new(), Vec::new());
    let mut is_over = false;
    while !is_over {
        let read = file.read(stream.space()).expect("memory is readable");
        stream.filled(read);
        if read == 0 {
            stream.finish();
            is_over = true;
        }
        while let Some(item) = stream.next() {
            match item {
                Ok(record) => offsets.push(record.offset()),
                Err(stretch) => skipped.push((stretch.offset, stretch.length)),
            }
        }
    }
    let end = 2 * 89 + 10 * 12;
    assert_eq!(skipped, [(end, FOUR_GIB as usize)]);
    assert_eq!((offsets.len(), offsets[12]), (22, end + FOUR_GIB as usize));
}
