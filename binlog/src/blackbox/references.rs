//! What predictors refer to besides the frames before, for the encoder of a schema.
//!
//! The decoder has the same numbers in two parts. `Given` is what a header gives, at run time and for any field, with
//! the place of `motor[0]`: it stays for a session and is shared by the plans of all frames. `Context` changes with
//! each frame. In a schema, what the header gives is constant, and derived code takes one reference to all of it.

/// The numbers that predictors refer to: some of the header's, and some of the session's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct References {
    /// The header's `minthrottle` ([`MinThrottle`](super::Predictor::MinThrottle)).
    pub minthrottle: i32,
    /// The lower number of the header's `motorOutput` ([`MinMotor`](super::Predictor::MinMotor)).
    pub minmotor: i32,
    /// The header's `vbatref` ([`VbatRef`](super::Predictor::VbatRef)).
    pub vbatref: i32,
    /// Latitude and longitude of the last home frame ([`HomeCoordinate`](super::Predictor::HomeCoordinate)).
    pub home: [i32; 2],
    /// The time of the last main frame ([`LastMainFrameTime`](super::Predictor::LastMainFrameTime)), µs.
    pub main_frame_time: u32,
    /// The iterations between this main frame and the one before, which the rate leaves out
    /// ([`Increment`](super::Predictor::Increment)).
    pub skipped: u32,
}

impl References {
    /// At the beginning of a session: home at 0, 0, and the numbers that decoders take where a header has none.
    pub const NEW: References =
        References { minthrottle: 1150, minmotor: 1150, vbatref: 4095, home: [0; 2], main_frame_time: 0, skipped: 0 };

    /// Takes over a header line that predictors refer to. Returns `None` if its value isn't a number of 0 to 65535 (of
    /// `motorOutput`, two of them).
    pub(crate) const fn take(&mut self, name: &[u8], value: &[u8]) -> Option<()> {
        let (reference, has_two) = match name {
            b"minthrottle" => (&mut self.minthrottle, false),
            b"motorOutput" => (&mut self.minmotor, true),
            b"vbatref" => (&mut self.vbatref, false),
            _ => return Some(()),
        };
        match number(value, has_two) {
            Some(number) => *reference = number,
            None => return None,
        }
        Some(())
    }
}

/// A decimal number of up to 65535; with `more`, another number may follow after a comma.
const fn number(text: &[u8], more: bool) -> Option<i32> {
    let mut number = 0;
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            digit @ b'0'..=b'9' => number = number * 10 + (digit - b'0') as i32,
            b',' if more && i > 0 => {
                return match self::number(text.split_at(i + 1).1, false) {
                    Some(_) => Some(number),
                    None => None,
                };
            }
            _ => return None,
        }
        if number > u16::MAX as i32 {
            return None;
        }
        i += 1;
    }
    if i == 0 || more { None } else { Some(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_lines_of_predictors_are_taken_over() {
        let mut references = References::NEW;
        assert_eq!(references.take(b"minthrottle", b"1070"), Some(()));
        assert_eq!(references.take(b"motorOutput", b"158,2047"), Some(()));
        assert_eq!(references.take(b"vbatref", b"2466"), Some(()));
        assert_eq!(references.take(b"looptime", b"fast"), Some(()));
        assert_eq!((references.minthrottle, references.minmotor, references.vbatref), (1070, 158, 2466));
    }

    #[test]
    fn other_texts_than_numbers_are_refused() {
        for value in ["", "-1", "65536", "1,", "a", "1.5", " 1", "99999999999"] {
            for name in ["minthrottle", "motorOutput", "vbatref"] {
                let mut references = References::NEW;
                assert_eq!(references.take(name.as_bytes(), value.as_bytes()), None, "{name}:{value}");
            }
        }
        let mut references = References::NEW;
        assert_eq!(references.take(b"motorOutput", b"158"), None, "the range has two ends");
        assert_eq!(references.take(b"motorOutput", b"1,2,3"), None, "the range has two ends");
    }
}
