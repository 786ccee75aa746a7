//! KML and GPX: well-formed, as their schemas say (elements, attributes, order, texts), and with the positions of the
//! log.

use crate::support::{Logs, all_blackbox_logs, all_logs, export};
use quick_xml::Reader;
use quick_xml::events::Event;

/// An element with its children; text is kept of elements without.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn parse(xml: &str) -> Element {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().check_end_names = true;
        let mut open = vec![Element::default()];
        loop {
            match reader.read_event().expect("well-formed XML") {
                Event::Start(start) => {
                    let attribute = |attribute: Result<quick_xml::events::attributes::Attribute<'_>, _>| {
                        let attribute = attribute.expect("an attribute");
                        (attribute.key.as_ref().to_owned(), attribute.value.into_owned())
                    };
                    open.push(Element {
                        name: start.name().as_ref().to_owned(),
                        attributes: start.attributes().map(attribute).collect(),
                        ..Element::default()
                    });
                }
                Event::Text(text) => {
                    open.last_mut().expect("the document").text.push_str(&text);
                }
                Event::End(_) => {
                    let element = open.pop().expect("an open element");
                    open.last_mut().expect("the document").children.push(element);
                }
                Event::Eof => return open.pop().and_then(|mut document| document.children.pop()).expect("an element"),
                _ => {}
            }
        }
    }

    fn all<'e>(&'e self, name: &str) -> Vec<&'e Element> {
        let mut found: Vec<&Element> = self.children.iter().filter(|child| child.name == name).collect();
        self.children.iter().for_each(|child| found.extend(child.all(name)));
        found
    }

    /// Checks the element and all in it: names, attributes, the order of children, texts.
    fn check(&self, schema: &[Rule]) {
        let rule = schema.iter().find(|rule| rule.name == self.name);
        let rule = rule.unwrap_or_else(|| panic!("the schema has no {}", self.name));
        let attributes: Vec<&str> = self.attributes.iter().map(|(name, _)| name.as_str()).collect();
        assert!(rule.required.iter().all(|name| attributes.contains(name)), "{}: {attributes:?}", self.name);
        let is_known = |name: &&str| rule.required.contains(name) || name.starts_with("xmlns");
        assert!(attributes.iter().all(is_known), "{}: {attributes:?}", self.name);
        let mut at = 0;
        for child in &self.children {
            let place = rule.children[at..].iter().position(|name| name.trim_end_matches('*') == child.name);
            let place = place.unwrap_or_else(|| panic!("{} has {} out of order", self.name, child.name));
            at += place + usize::from(!rule.children[at + place].ends_with('*'));
            child.check(schema);
        }
        assert!(rule.text.is_met(&self.text), "{}: {:?}", self.name, self.text);
    }
}

/// What a schema says of an element.
struct Rule {
    name: &'static str,
    /// Its attributes, all required.
    required: &'static [&'static str],
    /// Its children in their order; those with a `*` may be repeated.
    children: &'static [&'static str],
    text: Text,
}

const fn group(name: &'static str, required: &'static [&'static str], children: &'static [&'static str]) -> Rule {
    Rule { name, required, children, text: Text::None }
}

const fn leaf(name: &'static str, text: Text) -> Rule {
    Rule { name, required: &[], children: &[], text }
}

/// The types of texts, by their names in XML Schema and in KML.
#[derive(Clone, Copy)]
enum Text {
    None,
    Any,
    Decimal,
    Boolean,
    /// In UTC.
    DateTime,
    /// `aabbggrr`.
    Color,
    AltitudeMode,
    /// `longitude,latitude,altitude`, separated by spaces.
    Coordinates,
    /// The same, one of them with spaces in it.
    Coordinate,
}

impl Text {
    fn is_met(self, text: &str) -> bool {
        let is_place = |place: Vec<&str>| {
            let place: Vec<f64> = place.into_iter().map(|number| number.parse().unwrap_or(f64::NAN)).collect();
            // The altitude may be missing.
            matches!(place[..], [longitude, latitude] | [longitude, latitude, _]
                if longitude.abs() <= 180.0 && latitude.abs() <= 90.0)
        };
        match self {
            Text::None => text.trim().is_empty(),
            Text::Any => true,
            // xsd:decimal has no exponent.
            Text::Decimal => text.parse::<f64>().is_ok() && text.bytes().all(|byte| b"0123456789.+-".contains(&byte)),
            Text::Boolean => matches!(text, "0" | "1" | "true" | "false"),
            Text::DateTime => text.ends_with('Z') && text.parse::<jiff::Timestamp>().is_ok(),
            Text::Color => text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
            Text::AltitudeMode => matches!(text, "clampToGround" | "relativeToGround" | "absolute"),
            Text::Coordinates => !text.is_empty() && text.split(' ').all(|place| is_place(place.split(',').collect())),
            Text::Coordinate => is_place(text.split(' ').collect()),
        }
    }
}

/// The elements that may be there of http://www.topografix.com/GPX/1/1/gpx.xsd.
const GPX: [Rule; 12] = [
    group("gpx", &["version", "creator"], &["metadata", "wpt*", "rte*", "trk*", "extensions"]),
    group(
        "metadata",
        &[],
        &["name", "desc", "author", "copyright", "link*", "time", "keywords", "bounds", "extensions"],
    ),
    group("wpt", &["lat", "lon"], POINT),
    group("rte", &[], &["name", "cmt", "desc", "src", "link*", "number", "type", "extensions", "rtept*"]),
    group("rtept", &["lat", "lon"], POINT),
    group("trk", &[], &["name", "cmt", "desc", "src", "link*", "number", "type", "extensions", "trkseg*"]),
    group("trkseg", &[], &["trkpt*", "extensions"]),
    group("trkpt", &["lat", "lon"], POINT),
    leaf("src", Text::Any),
    leaf("ele", Text::Decimal),
    leaf("time", Text::DateTime),
    leaf("name", Text::Any),
];

/// `wptType`, up to what nobody writes.
const POINT: &[&str] = &["ele", "time", "magvar", "geoidheight", "name", "cmt", "desc", "src"];

/// The elements that may be there of http://schemas.opengis.net/kml/2.2.0/ogckml22.xsd, and of Google's extension,
/// https://developers.google.com/kml/schema/kml22gx.xsd.
const KML: [Rule; 21] = [
    group("kml", &[], &["Document"]),
    group("Document", &[], &["name", "visibility", "open", "description", "Style*", "Folder*"]),
    group("Folder", &[], &["name", "visibility", "open", "description", "styleUrl", "Placemark*"]),
    group("Placemark", &[], &["name", "visibility", "description", "styleUrl", "Point", "LineString", "gx:Track"]),
    group("Point", &[], &["extrude", "altitudeMode", "coordinates"]),
    group("Style", &["id"], &["LineStyle", "PolyStyle"]),
    group("LineStyle", &[], &["color", "colorMode", "width"]),
    group("PolyStyle", &[], &["color", "colorMode", "fill", "outline"]),
    group("LineString", &[], &["extrude", "tessellate", "altitudeMode", "coordinates"]),
    group("gx:Track", &[], &["altitudeMode", "when*", "gx:coord*"]),
    leaf("name", Text::Any),
    leaf("styleUrl", Text::Any),
    leaf("visibility", Text::Boolean),
    leaf("extrude", Text::Boolean),
    leaf("tessellate", Text::Boolean),
    leaf("altitudeMode", Text::AltitudeMode),
    leaf("color", Text::Color),
    leaf("width", Text::Decimal),
    leaf("coordinates", Text::Coordinates),
    leaf("when", Text::DateTime),
    leaf("gx:coord", Text::Coordinate),
];

fn check_gpx(gpx: &Element) {
    gpx.check(&GPX);
    assert!(gpx.attributes.contains(&("xmlns".into(), "http://www.topografix.com/GPX/1/1".into())));
    assert!(gpx.attributes.contains(&("version".into(), "1.1".into())));
    for point in gpx.all("trkpt").into_iter().chain(gpx.all("wpt")) {
        let degrees = |name: &str| {
            let (_, value) = point.attributes.iter().find(|(key, _)| key == name).expect("an attribute");
            assert!(Text::Decimal.is_met(value), "{value}");
            value.parse::<f64>().expect("a number")
        };
        // `longitudeType` excludes its end.
        assert!(degrees("lat").abs() <= 90.0 && (-180.0..180.0).contains(&degrees("lon")));
    }
}

fn check_kml(kml: &Element) {
    kml.check(&KML);
    assert!(kml.attributes.contains(&("xmlns".into(), "http://www.opengis.net/kml/2.2".into())));
    assert!(kml.attributes.contains(&("xmlns:gx".into(), "http://www.google.com/kml/ext/2.2".into())));
    for url in kml.all("styleUrl") {
        let styles = kml.all("Style");
        assert!(styles.iter().any(|style| format!("#{}", style.attributes[0].1) == url.text));
    }
    for track in kml.all("gx:Track") {
        assert_eq!(track.all("when").len(), track.all("gx:coord").len());
    }
}

/// Checks files against the schemas.
pub(crate) fn check_files(gpx: &str, kml: &str) {
    check_gpx(&Element::parse(gpx));
    check_kml(&Element::parse(kml));
}

fn exported(logs: &Logs, format: &str) -> Option<Element> {
    let output = export(&logs.paths, &["--format", format]).output().expect("it runs");
    if output.status.code() == Some(2) {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("the log has no positions"), "{said}");
        return None;
    }
    Some(Element::parse(&String::from_utf8(output.stdout).expect("UTF-8")))
}

#[test]
fn tracks_of_all_logs_follow_the_schemas() {
    let mut tracks = 0;
    for (name, bytes) in all_logs().into_iter().chain(all_blackbox_logs()) {
        let logs = Logs::of(&[(&name, &bytes)]);
        if let (Some(gpx), Some(kml)) = (exported(&logs, "gpx"), exported(&logs, "kml")) {
            check_gpx(&gpx);
            check_kml(&kml);
            tracks += 1;
        }
    }
    assert!(tracks >= 2);
}

#[test]
fn the_track_of_a_flight_has_its_positions_and_modes() {
    let bytes = crate::support::simulated();
    let log = binlog::Log::from_bytes(&*bytes);
    let logs = Logs::of(&[("a & b.bin", &bytes)]);
    let gpx = exported(&logs, "gpx").expect("a track");
    assert!(!gpx.all("trk")[0].children[0].text.is_empty());
    let source = &gpx.all("src")[0].text;
    let positions = log.rows(source).expect("the type of the track").len();
    let repeated = gpx.all("trkseg").len() - 1;
    assert!(gpx.all("trkpt").len() - repeated <= positions && gpx.all("trkpt").len() > 1);
    let kml = exported(&logs, "kml").expect("a track");
    let modes: Vec<String> = log.modes().into_iter().filter_map(|mode| mode.name).collect();
    assert!(modes.contains(&kml.all("Placemark")[0].children[0].text), "{modes:?}");
    assert_eq!(kml.all("gx:coord").len(), gpx.all("trkpt").len() - repeated);
}
