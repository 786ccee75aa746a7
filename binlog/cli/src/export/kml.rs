//! KML 2.2: a line for each flight mode, and the whole track with its times as `gx:Track`, which Google Earth plays.

use super::gpx::{allowed, metres};
use super::time::utc;
use crate::mission::{Path, Place, Points};
use crate::track::{Position, Segment, Track};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::{self, Write};

/// The colours of modes, in turn, as KML has them: opacity, blue, green, red.
const COLOURS: [&str; 8] =
    ["ff0051e6", "ffb4771f", "ff2ca02c", "ffbd6794", "ff4b568c", "ffc277e3", "ff22bdbc", "ffcfbe17"];

/// Writes the tracks of a log, whose name is `name`, and what was uploaded for each.
///
/// # Errors
///
/// Errors of the writer.
pub fn write(out: &mut impl Write, name: &str, tracks: &[Track], maps: &[Points]) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(out, b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let kml = xml.create_element("kml").with_attributes([
        ("xmlns", "http://www.opengis.net/kml/2.2"),
        ("xmlns:gx", "http://www.google.com/kml/ext/2.2"),
    ]);
    kml.write_inner_content(|xml| {
        xml.create_element("Document").write_inner_content(|xml| {
            text(xml, "name", name)?;
            let modes = modes(tracks);
            (0..modes.len()).try_for_each(|i| style(xml, i))?;
            for (i, (track, map)) in tracks.iter().zip(maps).enumerate() {
                xml.create_element("Folder").write_inner_content(|xml| {
                    text(xml, "name", &if tracks.len() > 1 { format!("{name}, part {i}") } else { name.into() })?;
                    for segment in &track.segments {
                        line(xml, segment, modes.iter().position(|mode| *mode == segment.mode))?;
                    }
                    timed(xml, track)?;
                    map.paths.iter().try_for_each(|Path { name, places }| shape(xml, name, "LineString", places))?;
                    map.points.iter().try_for_each(|point| shape(xml, &point.name, "Point", &[point.place]))
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    xml.into_inner().write_all(b"\n")
}

fn modes(tracks: &[Track]) -> Vec<&str> {
    let mut modes: Vec<&str> = Vec::new();
    for segment in tracks.iter().flat_map(|track| &track.segments) {
        if !modes.contains(&segment.mode.as_str()) {
            modes.push(&segment.mode);
        }
    }
    modes
}

fn style<W: Write>(xml: &mut Writer<W>, i: usize) -> io::Result<()> {
    let id = format!("mode{i}");
    xml.create_element("Style").with_attribute(("id", id.as_str())).write_inner_content(|xml| {
        xml.create_element("LineStyle").write_inner_content(|xml| {
            text(xml, "color", COLOURS[i % COLOURS.len()])?;
            text(xml, "width", "3")
        })?;
        Ok(())
    })?;
    Ok(())
}

fn line<W: Write>(xml: &mut Writer<W>, segment: &Segment, style: Option<usize>) -> io::Result<()> {
    xml.create_element("Placemark").write_inner_content(|xml| {
        text(xml, "name", if segment.mode.is_empty() { "no mode" } else { &segment.mode })?;
        if let Some(style) = style {
            text(xml, "styleUrl", &format!("#mode{style}"))?;
        }
        xml.create_element("LineString").write_inner_content(|xml| {
            text(
                xml,
                "altitudeMode",
                altitude_mode(segment.positions.iter().all(|position| position.altitude.is_some())),
            )?;
            let coordinates = segment.positions.iter().map(|position| coordinates(position, ','));
            text(xml, "coordinates", &coordinates.collect::<Vec<_>>().join(" "))
        })?;
        Ok(())
    })?;
    Ok(())
}

/// A line or a point of the mission, the fence or the rally points.
fn shape<W: Write>(xml: &mut Writer<W>, name: &str, shape: &str, places: &[Place]) -> io::Result<()> {
    xml.create_element("Placemark").write_inner_content(|xml| {
        text(xml, "name", name)?;
        xml.create_element(shape).write_inner_content(|xml| {
            let has_altitudes = places.iter().all(|(.., altitude)| altitude.is_some());
            text(xml, "altitudeMode", altitude_mode(has_altitudes))?;
            let coordinates = |(latitude, longitude, altitude): &Place| {
                format!("{longitude},{latitude},{}", metres(altitude.unwrap_or(0.0)))
            };
            text(xml, "coordinates", &places.iter().map(coordinates).collect::<Vec<_>>().join(" "))
        })?;
        Ok(())
    })?;
    Ok(())
}

/// The whole track with its times; nothing if the log doesn't have the calendar.
fn timed<W: Write>(xml: &mut Writer<W>, track: &Track) -> io::Result<()> {
    let Some(clock) = track.clock else { return Ok(()) };
    let timed = |position: Position| Some((utc(clock.unix_us(position.time_us))?, position));
    let positions: Vec<(String, Position)> = track.positions().filter_map(timed).collect();
    let has_altitudes = positions.iter().all(|(_, position)| position.altitude.is_some());
    xml.create_element("Placemark").write_inner_content(|xml| {
        text(xml, "name", "track with times")?;
        text(xml, "visibility", "0")?;
        xml.create_element("gx:Track").write_inner_content(|xml| {
            text(xml, "altitudeMode", altitude_mode(has_altitudes))?;
            positions.iter().try_for_each(|(time, _)| text(xml, "when", time))?;
            positions.iter().try_for_each(|(_, position)| text(xml, "gx:coord", &coordinates(position, ' ')))
        })?;
        Ok(())
    })?;
    Ok(())
}

fn altitude_mode(has_altitudes: bool) -> &'static str {
    if has_altitudes { "absolute" } else { "clampToGround" }
}

fn coordinates(position: &Position, separator: char) -> String {
    let Position { latitude, longitude, altitude, .. } = position;
    format!("{longitude}{separator}{latitude}{separator}{}", metres(altitude.unwrap_or(0.0)))
}

fn text<W: Write>(xml: &mut Writer<W>, element: &str, text: &str) -> io::Result<()> {
    xml.create_element(element).write_text_content(BytesText::new(&allowed(text)))?;
    Ok(())
}
