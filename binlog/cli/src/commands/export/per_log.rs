//! The formats that have a file for each log.

use super::place::{Names, Place};
use super::{Arguments, Chosen, Exporter, Format};
use crate::any_log::Session;
use crate::counted::counted;
use crate::export::choice::Choice;
use crate::export::time::Times;
use crate::export::wide::{Lines, OfInstance, WideColumn};
use crate::export::{csv, gpx, json_lines, kml, tables, wide};
use crate::input::Input;
use crate::intervals::Intervals;
use crate::join::at_rate;
use crate::mission::{self, Points, Upload};
use crate::outcome::{Failure, warn};
use crate::output::{Output, Whole};
use crate::suggest;
use crate::track::Track;
use std::collections::HashSet;
use std::io::Write;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

/// The most lines at a rate, more than any flight needs (1000 Hz for five hours). A damaged time would ask for
/// centuries.
const MAX_LINES: u64 = 20_000_000;

/// Writes a file for each log.
pub(super) struct PerLog<'a> {
    arguments: &'a Arguments,
    format: Format,
    place: Place,
    names: Names,
}

impl<'a> PerLog<'a> {
    pub(super) fn new(arguments: &'a Arguments, format: Format, place: Place) -> Self {
        PerLog { arguments, format, place, names: Names::default() }
    }
}

/// Of a session: its times, its tables, and the times of the lines of a wide file, in microseconds.
type Part = (Times, Vec<OfInstance>, Vec<u64>);

impl Exporter for PerLog<'_> {
    fn export(&mut self, input: &Input, chosen: &Chosen<'_>) -> Result<bool, Failure> {
        let (file, has_records) = match self.format {
            Format::Kml | Format::Gpx => {
                let tracks = self.tracks(chosen)?;
                let (tracks, maps): (Vec<Track>, Vec<Points>) = tracks.into_iter().unzip();
                let name = input.path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
                let name = name.unwrap_or_else(|| chosen.name.into());
                let mut out = self.create(input)?;
                match self.format {
                    Format::Kml => kml::write(&mut out, &name, &tracks, &maps)?,
                    _ => gpx::write(&mut out, &name, &tracks, &maps)?,
                }
                (out.end()?, true)
            }
            Format::Waypoints => {
                let file = self.waypoints(chosen)?;
                let mut out = self.create(input)?;
                out.write_all(file.as_bytes())?;
                (out.end()?, true)
            }
            Format::Csv => {
                let parts = self.parts(chosen)?;
                let out = self.create(input)?;
                let has_records = parts.iter().any(|(_, tables, at_us)| !tables.is_empty() && !at_us.is_empty());
                (self.wide(chosen, &parts, out)?, has_records)
            }
            #[cfg(feature = "mcap")]
            Format::Mcap => mcap(chosen, self.create(input)?)?,
            _ => {
                let mut out = self.create(input)?;
                let is_several = chosen.sessions.len() > 1;
                let mut lines = 0;
                for (session, intervals) in chosen.sessions.iter().zip(&chosen.intervals) {
                    let (number, names) = (is_several.then_some(session.number()), self.arguments.value_names);
                    lines += json_lines::write(&mut out, session, number, chosen.choice, intervals, names)?;
                }
                (out.end()?, lines > 0)
            }
        };
        self.place.add([file])?;
        Ok(has_records)
    }

    fn finish(self: Box<Self>) -> Result<Option<usize>, Failure> {
        self.place.finish().map(|()| None)
    }
}

impl PerLog<'_> {
    fn create(&mut self, input: &Input) -> Result<Output, Failure> {
        let name = format!("{}.{}", self.names.of(input), self.format.ending());
        self.place.create(Path::new(&name), input)
    }

    /// The waypoint file of the upload that is asked for.
    fn waypoints(&self, chosen: &Chosen<'_>) -> Result<String, Failure> {
        let Arguments { items: kind, upload, .. } = *self.arguments;
        let of_session = |(session, intervals)| mission::uploads(session, kind, intervals);
        let uploads: Vec<Upload> = chosen.sessions.iter().zip(&chosen.intervals).flat_map(of_session).collect();
        let listed = || {
            let one = |(number, upload): (usize, &Upload)| {
                format!("{number} at {:.3} s with {}", upload.time_us as f64 / 1e6, counted(upload.len(), "item"))
            };
            (1..).zip(&uploads).map(one).collect::<Vec<_>>().join(", ")
        };
        let (name, what) = (chosen.name, kind.text());
        let index = upload.map(|number| number.get() - 1).or_else(|| mission::last_complete(&uploads));
        let Some(index) = index.filter(|_| !uploads.is_empty()) else {
            return Err(Failure::absent(format_args!("{name}: the log has no {what} ({})", kind.name())));
        };
        let Some(chosen) = uploads.get(index) else {
            let text = format_args!("{name}: there is no upload {}; the log has {}", index + 1, listed());
            return Err(Failure::new(text));
        };
        if upload.is_none() && uploads.len() > 1 {
            let others = listed();
            warn(format_args!("{name}: upload {} is written; --upload chooses among {others}", index + 1));
        }
        let missing = chosen.missing();
        if !missing.is_empty() {
            let missing = mission::ranges(&missing);
            warn(format_args!(
                "{name}: the log lacks items {missing} of the {what}; the next item is in the place of each"
            ));
        }
        Ok(mission::waypoint_file(&chosen.items()))
    }

    fn tracks(&self, chosen: &Chosen<'_>) -> Result<Vec<(Track, Points)>, Failure> {
        let source = self.arguments.track.as_deref();
        let mut has_positions = false;
        let track = |(session, intervals): (&Session<'_>, &Intervals)| {
            let mut track = Track::of(session.as_ardupilot()?, source)?;
            has_positions = true;
            track.keep_intervals(&session.in_ardupilot(intervals));
            (!track.segments.is_empty()).then(|| (track, mission::on_map(session, intervals)))
        };
        let tracks: Vec<(Track, Points)> = chosen.sessions.iter().zip(&chosen.intervals).filter_map(track).collect();
        match source {
            _ if !tracks.is_empty() => Ok(tracks),
            _ if has_positions => {
                Err(Failure::new(format_args!("{}: no position is in the chosen part of the log", chosen.name)))
            }
            Some(source) => {
                let hint = suggest::hint(source, "positions are in", Track::sources());
                Err(Failure::new(format_args!("{}: `{source}` has no positions; {hint}", chosen.name)))
            }
            None => Err(Failure::new(format_args!("{}: the log has no positions", chosen.name))),
        }
    }

    /// The tables of each session, and the times of the lines.
    fn parts(&self, chosen: &Chosen<'_>) -> Result<Vec<Part>, Failure> {
        let mut parts = Vec::new();
        for (session, intervals) in chosen.sessions.iter().zip(&chosen.intervals) {
            let mut tables = tables::tables(session, chosen.choice, intervals);
            if chosen.choice.is_everything() {
                let is_own =
                    |name: &str| self.arguments.wide.as_ref().is_some_and(|own| Choice::of([&**own]).has_type(name));
                tables.retain(|table| wide::is_carried(&table.name) || is_own(&table.name));
            }
            let mut tables = wide::by_instance(tables);
            if self.arguments.value_names {
                tables.iter_mut().for_each(|of_instance| of_instance.table.name_values());
            }
            let at_us: Vec<u64> = match (&self.arguments.wide, self.arguments.rate) {
                (Some(name), _) => {
                    let choice = Choice::of([name.as_str()]);
                    wide::times_us(&wide::by_instance(tables::tables(session, &choice, intervals)))
                }
                (None, Some(rate)) => match session.time_range_us() {
                    Some(range) => {
                        lines_at_rate(range, rate, intervals).map_err(|failure| failure.context(chosen.name))?
                    }
                    None => Vec::new(),
                },
                (None, None) => Vec::new(),
            };
            parts.push((Times::of(self.arguments.time.unwrap_or_default(), session), tables, at_us));
        }
        let is_timed = chosen.sessions.iter().any(|session| session.time_range_us().is_some());
        if self.arguments.rate.is_some() && !is_timed && !chosen.sessions.is_empty() {
            let text = format_args!("{}: no record has a time, so there are no lines at a rate", chosen.name);
            return Err(Failure::new(text));
        }
        if let (Some(name), true) = (&self.arguments.wide, parts.iter().all(|(.., at_us)| at_us.is_empty())) {
            let known: Vec<String> = chosen.sessions.iter().flat_map(tables::labels).map(|(name, _)| name).collect();
            let choice = Choice::of([name.as_str()]);
            if known.iter().any(|known| choice.has_type(known)) && !self.arguments.selection.is_everything() {
                let text = format_args!("{}: no record of `{name}` is in the chosen part of the log", chosen.name);
                return Err(Failure::new(text));
            }
            let hint = suggest::hint(name, "the log has", known.iter().map(String::as_str));
            return Err(Failure::new(format_args!("{}: no records of `{name}`; {hint}", chosen.name)));
        }
        Ok(parts)
    }

    fn wide(&self, chosen: &Chosen<'_>, parts: &[Part], mut out: Output) -> Result<Whole, Failure> {
        let mut columns: Vec<WideColumn> = Vec::new();
        let mut known = HashSet::new();
        for column in parts.iter().flat_map(|(_, tables, _)| tables).flat_map(OfInstance::columns) {
            if known.insert(column.clone()) {
                columns.push(column);
            }
        }
        let labels = wide::labels(&columns);
        let is_several = chosen.sessions.len() > 1;
        let max_age_us = self.arguments.max_age.map(|seconds| (seconds * 1e6).round() as u64);
        let of_type = self.arguments.wide.as_ref().map(|name| Choice::of([name.as_str()]));
        if let Some((times, ..)) = parts.first() {
            csv::header(&mut out, times, is_several.then_some("session"), labels.iter().map(String::as_str))?;
        }
        for (session, (times, tables, at_us)) in chosen.sessions.iter().zip(parts) {
            let lines = Lines { at_us, of_type: of_type.as_ref(), max_age_us };
            wide::rows(&mut out, times, is_several.then_some(session.number()), &columns, tables, lines)?;
        }
        out.end()
    }
}

/// The times of the lines in the chosen part of a session, from its first time on.
///
/// # Errors
///
/// If there are more than [`MAX_LINES`].
fn lines_at_rate(range: RangeInclusive<u64>, rate_hz: f64, chosen: &Intervals) -> Result<Vec<u64>, Failure> {
    let (start, end) = range.into_inner();
    // An interval that ends at u64::MAX has no end: it lasts as long as the log.
    let last = |part: &Range<u64>| if part.end == u64::MAX { end } else { end.min(part.end - 1) };
    let parts: Vec<_> = chosen.ranges().iter().map(|part| part.start.max(start)..=last(part)).collect();
    let seconds: f64 = parts.iter().map(|part| part.end().saturating_sub(*part.start()) as f64 / 1e6).sum();
    if seconds * rate_hz > MAX_LINES as f64 {
        return Err(Failure::new(format_args!(
            "{rate_hz} Hz from {:.3} s to {:.3} s are more than {MAX_LINES} lines; does a damaged record have a wrong \
             time? choose a part with --from and --to, or a lower rate",
            start as f64 / 1e6,
            end as f64 / 1e6
        )));
    }
    Ok(parts.into_iter().flat_map(|part| at_rate(start, rate_hz, part)).collect())
}

#[cfg(feature = "mcap")]
fn mcap(chosen: &Chosen<'_>, out: Output) -> Result<(Whole, bool), Failure> {
    let about = [("log", chosen.name.to_owned())].map(|(key, text)| (key.to_owned(), text)).into();
    let mut mcap = crate::export::mcap::Mcap::new(out, about)?;
    let mut records = 0;
    for (session, intervals) in chosen.sessions.iter().zip(&chosen.intervals) {
        records += mcap.add(session, chosen.choice, intervals)?;
    }
    Ok((mcap.finish()?.end()?, records > 0))
}
