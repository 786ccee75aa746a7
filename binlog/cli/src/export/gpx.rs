//! GPX 1.1: a track for each boot or session, a segment for each flight mode, modes as waypoints; missions and fences
//! as routes.
//!
//! The elements and their order are those of the schema `http://www.topografix.com/GPX/1/1/gpx.xsd`.

use super::time::utc;
use crate::mission::{Path, Place, Point, Points};
use crate::track::{Position, Track};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::{self, Write};

/// Writes the tracks of a log, whose name is `name`, and what was uploaded for each.
///
/// # Errors
///
/// Errors of the writer.
pub fn write(out: &mut impl Write, name: &str, tracks: &[Track], maps: &[Points]) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(out, b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let gpx = xml.create_element("gpx").with_attributes([
        ("version", "1.1"),
        ("creator", concat!("binlog ", env!("CARGO_PKG_VERSION"))),
        ("xmlns", "http://www.topografix.com/GPX/1/1"),
    ]);
    gpx.write_inner_content(|xml| {
        xml.create_element("metadata").write_inner_content(|xml| text(xml, "name", name))?;
        for track in tracks {
            for segment in track.segments.iter().filter(|segment| !segment.mode.is_empty()) {
                if let Some(first) = segment.positions.first() {
                    point(xml, "wpt", track, first, Some(&segment.mode))?;
                }
            }
        }
        for Point { name, place, .. } in maps.iter().flat_map(|map| &map.points) {
            uploaded(xml, "wpt", place, Some(name.as_str()))?;
        }
        for Path { name, places } in maps.iter().flat_map(|map| &map.paths) {
            xml.create_element("rte").write_inner_content(|xml| {
                text(xml, "name", name)?;
                places.iter().try_for_each(|place| uploaded(xml, "rtept", place, None))
            })?;
        }
        for track in tracks {
            xml.create_element("trk").write_inner_content(|xml| {
                text(xml, "name", name)?;
                text(xml, "src", &track.source)?;
                for segment in &track.segments {
                    xml.create_element("trkseg").write_inner_content(|xml| {
                        segment.positions.iter().try_for_each(|position| point(xml, "trkpt", track, position, None))
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    xml.into_inner().write_all(b"\n")
}

fn point<W: Write>(
    xml: &mut Writer<W>,
    element: &str,
    track: &Track,
    position: &Position,
    name: Option<&str>,
) -> io::Result<()> {
    let degrees = [("lat", position.latitude.to_string()), ("lon", position.longitude.to_string())];
    let point = xml.create_element(element).with_attributes(degrees.iter().map(|(k, v)| (*k, v.as_str())));
    point.write_inner_content(|xml| {
        if let Some(altitude) = position.altitude {
            text(xml, "ele", &metres(altitude))?;
        }
        if let Some(time) = track.clock.and_then(|clock| utc(clock.unix_us(position.time_us))) {
            text(xml, "time", &time)?;
        }
        name.map_or(Ok(()), |name| text(xml, "name", name))
    })?;
    Ok(())
}

/// A place of the mission, the fence or the rally points.
fn uploaded<W: Write>(xml: &mut Writer<W>, element: &str, place: &Place, name: Option<&str>) -> io::Result<()> {
    let (latitude, longitude, altitude) = *place;
    let degrees = [("lat", latitude.to_string()), ("lon", longitude.to_string())];
    let point = xml.create_element(element).with_attributes(degrees.iter().map(|(k, v)| (*k, v.as_str())));
    point.write_inner_content(|xml| {
        altitude.map_or(Ok(()), |altitude| text(xml, "ele", &metres(altitude)))?;
        name.map_or(Ok(()), |name| text(xml, "name", name))
    })?;
    Ok(())
}

fn text<W: Write>(xml: &mut Writer<W>, element: &str, text: &str) -> io::Result<()> {
    xml.create_element(element).write_text_content(BytesText::new(&allowed(text)))?;
    Ok(())
}

/// An altitude with the digits that an `f32` has, in which logs have it.
pub(super) fn metres(altitude: f64) -> String {
    (altitude as f32).to_string()
}

/// The text without the control characters that XML 1.0 forbids.
pub(super) fn allowed(text: &str) -> String {
    text.chars().filter(|&character| !character.is_control() && !matches!(character, '\u{FFFE}' | '\u{FFFF}')).collect()
}
