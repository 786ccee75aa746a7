//! Pictures: the curve's colour is where its samples are, and nowhere else.

use crate::flight::{SECONDS, SPIKE, folder, plot, roll};
use std::fs;
use std::path::Path;

/// A picture's pixels.
struct Picture {
    width: usize,
    rgb: Vec<u8>,
}

impl Picture {
    fn read(path: &Path) -> Self {
        let file = std::io::BufReader::new(fs::File::open(path).expect("the picture"));
        let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut rgb).expect("a PNG");
        assert_eq!(info.color_type, png::ColorType::Rgb);
        Picture { width: info.width as usize, rgb }
    }

    /// Whether a pixel near this point has about this colour.
    fn has(&self, (x, y): (f64, f64), color: [u8; 3]) -> bool {
        let near = |x: f64, y: f64| {
            let at = (y.floor() as usize * self.width + x.floor() as usize) * 3;
            let pixel = &self.rgb[at..at + 3];
            pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 90)
        };
        [(0.0, 0.0), (-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)].iter().any(|(dx, dy)| near(x + dx, y + dy))
    }
}

/// The numbers of an attribute's element: the frame of the panel, which has no other colour's border.
fn frame(svg: &str) -> [f64; 4] {
    let line = svg.lines().find(|line| line.contains("fill=\"none\" stroke=\"#888888\"")).expect("a frame");
    ["x=\"", "y=\"", "width=\"", "height=\""].map(|name| {
        let (_, rest) = line.split_once(&format!(" {name}")).expect("an attribute");
        rest.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
    })
}

const BLUE: [u8; 3] = [0x00, 0x72, 0xb2];
const ORANGE: [u8; 3] = [0xd5, 0x5e, 0x00];

#[test]
fn the_curve_is_where_its_samples_are() {
    let folder = folder();
    for name in ["roll.png", "roll.svg"] {
        plot(folder.path()).args(["flight.bin", "ATT.Roll", "-o", name]).assert().success().stdout("").stderr("");
    }
    let picture = Picture::read(&folder.path().join("roll.png"));
    let svg = fs::read_to_string(folder.path().join("roll.svg")).expect("the picture");
    let [left, top, width, height] = frame(&svg);
    // The axis has 4 % of room above and below.
    let (low, high) = (-30.0 - 0.04 * 60.0, 30.0 + 0.04 * 60.0);
    let place = |time: f64, value: f64| (left + time / SECONDS * width, top + (high - value) / (high - low) * height);
    for i in 1..100u32 {
        let time = SECONDS * f64::from(i) / 100.0;
        assert!(picture.has(place(time, roll(time)), BLUE), "the curve at {time} s");
        // Away from the corners, where the other flank is near.
        if roll(time).abs() < 22.0 {
            for away in [-6.0, 6.0] {
                assert!(!picture.has(place(time, roll(time) + away), BLUE), "beside the curve at {time} s");
            }
        }
    }
}

#[test]
fn one_sample_among_twenty_thousand_is_visible() {
    let folder = folder();
    for name in ["pitch.png", "pitch.svg"] {
        plot(folder.path()).args(["flight.bin", "ATT.Roll", "ATT.Pitch", "-o", name]).assert().success();
    }
    let picture = Picture::read(&folder.path().join("pitch.png"));
    let svg = fs::read_to_string(folder.path().join("pitch.svg")).expect("the picture");
    let [left, top, width, height] = frame(&svg);
    let (low, high) = (-30.0 - 0.04 * 110.0, 80.0 + 0.04 * 110.0);
    for value in [20.0, 50.0, 79.0] {
        let place = (left + SPIKE / SECONDS * width, top + (high - value) / (high - low) * height);
        assert!(picture.has(place, ORANGE), "the spike at {value}");
    }
}

#[test]
fn an_svg_is_well_formed_and_has_units_modes_and_messages() {
    let folder = folder();
    let arguments = ["flight.bin", "ATT.Roll", "VIBE.VibeX", "-o", "a.svg", "--title", "R&D <1>"];
    plot(folder.path()).args(arguments).assert().success();
    let svg = fs::read_to_string(folder.path().join("a.svg")).expect("the picture");
    let mut reader = quick_xml::Reader::from_str(&svg);
    loop {
        if matches!(reader.read_event().expect("well-formed XML"), quick_xml::events::Event::Eof) {
            break;
        }
    }
    for text in [
        ">deg<",
        ">m/s/s<",
        ">ATT.Roll<",
        ">VIBE.VibeX →<",
        ">R&amp;D &lt;1&gt;<",
        ">Take-off &lt;fast&gt; &amp; high<",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.contains("time since the start of the log (s)"));
}

#[test]
fn a_part_of_the_flight_has_the_whole_width() {
    let folder = folder();
    let arguments = ["flight.bin", "ATT.Roll", "--from", "5", "--to", "+1s", "-o", "a.svg"];
    plot(folder.path()).args(arguments).assert().success();
    let svg = fs::read_to_string(folder.path().join("a.svg")).expect("the picture");
    for label in [">5.0<", ">5.5<", ">5.9<"] {
        assert!(svg.contains(label), "{label}");
    }
}

#[test]
fn the_spectrum_shows_the_amplitude_of_the_vibration() {
    let folder = folder();
    let output = plot(folder.path()).args(["flight.bin", "VIBE.VibeX", "--spectrum", "--json"]).output();
    let points: serde_json::Value = serde_json::from_slice(&output.expect("it runs").stdout).expect("JSON");
    let curve = &points["curves"][0];
    let numbers = |name: &str| -> Vec<f64> {
        curve[name].as_array().expect("numbers").iter().map(|number| number.as_f64().expect("a number")).collect()
    };
    let (frequencies, amplitudes) = (numbers("x"), numbers("y"));
    let highest = (0..amplitudes.len()).max_by(|a, b| amplitudes[*a].total_cmp(&amplitudes[*b])).expect("a spectrum");
    // 50 Hz is between two frequencies, where a Hann window shows at least 85 %.
    assert!((frequencies[highest] - 50.0).abs() < 1.0, "{}", frequencies[highest]);
    assert!((2.5..=3.0).contains(&amplitudes[highest]), "{}", amplitudes[highest]);
    assert_eq!(curve["unit"], "m/s/s");
}

#[test]
fn a_spectrogram_is_drawn_to_every_format() {
    let folder = folder();
    for name in ["a.png", "a.svg", "a.html"] {
        plot(folder.path()).args(["flight.bin", "VIBE.VibeX", "--spectrogram", "-o", name]).assert().success();
    }
    let picture = Picture::read(&folder.path().join("a.png"));
    let [left, top, width, height] = frame(&fs::read_to_string(folder.path().join("a.svg")).expect("the picture"));
    // 50 of 500 Hz, and far from it: the lightest and the darkest colour.
    for i in 1..10u32 {
        let x = left + width * f64::from(i) / 10.0;
        assert!(picture.has((x, top + height * 0.9), [253, 231, 37]), "50 Hz at {i}/10");
        assert!(picture.has((x, top + height * 0.3), [68, 1, 84]), "350 Hz at {i}/10");
    }
}
