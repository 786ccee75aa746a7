//! Flies several vehicles in real time while the disk stalls:
//! `realtime [--seconds N] [--vehicles N] [--stall SECONDS]`.
//!
//! Each vehicle has a `HostLogger`. One more flies beside them with a plain `BufWriter`, for comparison. Prints the
//! longest wait of each loop in a `log` call, and fails if a record is missing or a call waited for the disk.

use binlog::sink::{Sink, TimedSink};
use binlog::{HostLogger, LogMessage, LogSchema, Logs, Records, encode};
use simulator::simulation::STEP_US;
use simulator::{FlightLog, FlightSink, Simulation};
use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

/// From one stall to the next.
const STALL_PERIOD: Duration = Duration::from_secs(10);

/// A file whose disk stalls.
struct Stalling {
    file: File,
    stall: Duration,
    next: Instant,
}

impl Stalling {
    fn create(path: &Path, stall: Duration) -> io::Result<Self> {
        Ok(Stalling { file: File::create(path)?, stall, next: Instant::now() + Duration::from_secs(3) })
    }
}

impl Write for Stalling {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if Instant::now() >= self.next {
            thread::sleep(self.stall);
            self.next = Instant::now() + STALL_PERIOD;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// What a program writes that has no logger.
struct Plain {
    out: RefCell<BufWriter<Stalling>>,
    text_id: Cell<u8>,
}

impl<M: LogMessage> Sink<M> for Plain
where
    FlightLog: Logs<M>,
{
    fn log(&self, message: &M) -> bool {
        let mut record = [0; 255];
        let length = encode::<FlightLog, M>(message, &mut record);
        length.is_ok_and(|length| self.out.borrow_mut().write_all(&record[..length]).is_ok())
    }
}

impl TimedSink for Plain {
    fn now_us(&self) -> u64 {
        0
    }

    fn next_text_id(&self) -> u8 {
        self.text_id.replace(self.text_id.get().wrapping_add(1))
    }
}

/// A sink whose calls are measured.
struct Measured<'a, L> {
    log: &'a L,
    longest: Cell<Duration>,
    accepted: Cell<u64>,
    refused: Cell<u64>,
}

impl<M, L: Sink<M>> Sink<M> for Measured<'_, L> {
    fn log(&self, message: &M) -> bool {
        let begun = Instant::now();
        let is_accepted = self.log.log(message);
        self.longest.set(self.longest.get().max(begun.elapsed()));
        let count = if is_accepted { &self.accepted } else { &self.refused };
        count.set(count.get() + 1);
        is_accepted
    }
}

impl<L: TimedSink> TimedSink for Measured<'_, L> {
    fn now_us(&self) -> u64 {
        self.log.now_us()
    }

    fn next_text_id(&self) -> u8 {
        self.log.next_text_id()
    }
}

/// How a flight went.
struct Flown {
    longest: Duration,
    late: Duration,
    accepted: u64,
    refused: u64,
}

/// Flies in real time.
fn fly<L: FlightSink + TimedSink>(log: &L, simulation: Simulation) -> Flown {
    let zero = || Cell::new(0);
    let measured = Measured { log, longest: Cell::default(), accepted: zero(), refused: zero() };
    let begun = Instant::now();
    let mut late = Duration::ZERO;
    simulator::fly(simulation, &measured, |simulation| {
        let (due, now) = (Duration::from_micros(simulation.time_us), begun.elapsed());
        late = late.max(now.saturating_sub(due + Duration::from_micros(STEP_US)));
        thread::sleep(due.saturating_sub(now));
        ControlFlow::Continue(())
    });
    let (longest, accepted, refused) = (measured.longest.get(), measured.accepted.get(), measured.refused.get());
    Flown { longest, late, accepted, refused }
}

fn with_logger(seed: u64, seconds: u32, path: &Path, stall: Duration) -> Result<Flown, String> {
    let simulation = Simulation::new(seed, seconds);
    let prologue = simulator::recorder::prologue(&simulation).len() as u64;
    let out = Stalling::create(path, stall).map_err(|error| error.to_string())?;
    let settings = simulator::logger(&simulation).report_every(Duration::from_secs(1));
    let thread = settings.spawn(out).map_err(|error| error.to_string())?;
    let log: HostLogger<FlightLog> = thread.logger().clone();
    let flown = fly(&log, simulation);
    thread.finish().map_err(|error| error.to_string())?;
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let mut found = 0;
    for record in Records::new(&bytes) {
        let record = record.map_err(|gap| gap.to_string())?;
        found += u64::from(!matches!(record.name(), "FMT" | "FMTU" | "UNIT" | "MULT" | "DSF" | "DROP"));
    }
    match found == flown.accepted + prologue {
        true => Ok(flown),
        false => Err(format!("{} records were accepted, {} are in the log", flown.accepted + prologue, found)),
    }
}

fn with_buf_writer(seed: u64, seconds: u32, path: &Path, stall: Duration) -> Result<Flown, String> {
    let out = Stalling::create(path, stall).map_err(|error| error.to_string())?;
    let mut out = BufWriter::with_capacity(64 * 1024, out);
    out.write_all(FlightLog::PREAMBLE).map_err(|error| error.to_string())?;
    let plain = Plain { out: RefCell::new(out), text_id: Cell::new(0) };
    Ok(fly(&plain, Simulation::new(seed, seconds)))
}

struct Arguments {
    seconds: u32,
    vehicles: u64,
    stall: Duration,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments { seconds: 60, vehicles: 4, stall: Duration::from_secs(2) };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a number"))?;
        let wrong = || format!("{word} {value}: not a number that it can be");
        match word.as_str() {
            "--seconds" => arguments.seconds = value.parse().map_err(|_| wrong())?,
            "--vehicles" => arguments.vehicles = value.parse().map_err(|_| wrong())?,
            "--stall" => {
                let seconds = value.parse().map_err(|_| wrong())?;
                arguments.stall = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
            }
            _ => return Err("usage: realtime [--seconds N] [--vehicles N] [--stall SECONDS]".into()),
        }
    }
    Ok(arguments)
}

fn run(folder: &Path) -> Result<(), String> {
    let Arguments { seconds, vehicles, stall } = arguments()?;
    let path = |name: &str| -> PathBuf { folder.join(name) };
    let (flown, plain) = thread::scope(|scope| {
        let flights: Vec<_> = (0..vehicles)
            .map(|number| (number, path(&format!("{number}.bin"))))
            .map(|(number, path)| scope.spawn(move || with_logger(number, seconds, &path, stall)))
            .collect();
        let plain = scope.spawn(|| with_buf_writer(vehicles, seconds, &path("plain.bin"), stall));
        let flown: Vec<_> = flights.into_iter().map(|flight| flight.join().expect("it doesn't panic")).collect();
        (flown, plain.join().expect("it doesn't panic"))
    });
    println!("{:<22} {:>9} {:>8} {:>16} {:>10}", "", "records", "missing", "longest log call", "late");
    let line = |name: &str, flown: &Flown| {
        let [longest, late] = [flown.longest, flown.late].map(|time| time.as_secs_f64() * 1e3);
        println!("{name:<22} {:>9} {:>8} {longest:>13.3} ms {late:>7.1} ms", flown.accepted, flown.refused);
    };
    let mut faults = Vec::new();
    for (number, flown) in flown.into_iter().enumerate() {
        let flown = flown?;
        line(&format!("HostLogger, vehicle {}", number + 1), &flown);
        if flown.refused > 0 {
            faults.push(format!("vehicle {}: {} records were refused", number + 1, flown.refused));
        }
        if flown.longest >= stall / 2 && !stall.is_zero() {
            faults.push(format!("vehicle {}: a log call took {:?}", number + 1, flown.longest));
        }
    }
    let plain = plain?;
    line("BufWriter", &plain);
    if plain.longest < stall && seconds > 10 {
        faults.push(format!("the disk didn't stall: the longest call of the BufWriter took {:?}", plain.longest));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn main() -> ExitCode {
    let folder = std::env::temp_dir().join(format!("binlog-realtime-{}", std::process::id()));
    let result = fs::create_dir_all(&folder).map_err(|error| error.to_string()).and_then(|()| run(&folder));
    let _ = fs::remove_dir_all(&folder);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("realtime: {error}");
            ExitCode::FAILURE
        }
    }
}
