// Held by tests/tests/blackbox/encoded_again.rs.

//! Encodes frames as the header of a session defines them.

use super::decode::{Context, FramePlan, NO_VALUES, Values};
use super::limits::{MAX_FIELDS, MAX_FRAME_BYTES};
use super::place::{FramePlace, ReferredFields};
use super::{Event, FrameBuffer, FrameKind, Header};
use std::fmt;

/// Encodes values as frames of a session, by the definitions of its header: to change the values of a log, or to write
/// one whose fields are known at run time only.
///
/// It is the inverse of [`Session::frames`](super::log::Session::frames): the frames of a sound log, encoded again,
/// have the same bytes, if the firmware chose the shortest encodings.
///
/// ```
/// use binlog::blackbox::{BlackboxLog, FrameBuffer, LoggedEncoder};
///
/// let header = "H Product:Blackbox flight data recorder by Nicholas Sherlock\nH Data version:2\n\
///     H Field I name:loopIteration,time,gyroADC[0]\nH Field I signed:0,0,1\n\
///     H Field I predictor:0,0,0\nH Field I encoding:1,1,0\n\
///     H Field P predictor:6,2,3\nH Field P encoding:9,0,0\n";
/// let log = BlackboxLog::from_bytes(header.as_bytes());
/// let session = log.session(0).expect("a session");
///
/// let mut encoder = LoggedEncoder::new(session.header());
/// let mut frame = FrameBuffer::new();
/// encoder.encode(b'I', &[0, 1000, 5], &mut frame)?;
/// assert_eq!(frame.bytes(), [b'I', 0, 0xE8, 7, 10]);
/// frame.clear();
/// encoder.encode(b'P', &[1, 1125, 7], &mut frame)?;
/// assert_eq!(frame.bytes(), [b'P', 0xFA, 1, 4]);
/// # Ok::<(), binlog::blackbox::UnencodableFrame>(())
/// ```
pub struct LoggedEncoder<'h> {
    header: &'h Header<'h>,
    referred: ReferredFields,
    motor_0: Option<usize>,
    /// The main frame before, and the one before that. Unlike that of `Frames`, it has no room for a frame that is
    /// being read and may turn out not to stand: a frame is here once it is encoded.
    history: Option<[Box<Values>; 2]>,
    /// The last main frame, or the Resume event after it.
    last: FramePlace,
    /// The time of the last main frame.
    main_time: u32,
    home: [u32; 2],
}

/// Why a frame can't be encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UnencodableFrame {
    /// The header doesn't define frames with this letter, or not how they are encoded.
    Undefined {
        /// The letter.
        letter: u8,
    },
    /// The number of values differs from the number of fields.
    Count {
        /// The letter.
        letter: u8,
        /// The number of values.
        values: usize,
        /// The number of fields.
        fields: usize,
    },
    /// A P frame without an I frame before it.
    NoIntra,
    /// A value is too far from its prediction for the field's encoding, or `loopIteration` of a P frame isn't the next
    /// one to be logged. An I frame takes such values.
    DoesNotFit {
        /// The letter.
        letter: u8,
    },
    /// The frame exceeds the 256 bytes that decoders accept.
    TooLong {
        /// The letter.
        letter: u8,
        /// Its length in bytes.
        length: usize,
    },
}

impl<'h> LoggedEncoder<'h> {
    /// Encodes by this header.
    pub fn new(header: &'h Header<'h>) -> Self {
        LoggedEncoder {
            header,
            referred: ReferredFields::of(header),
            motor_0: header.fields(b'I').iter().position(|field| field.name() == "motor[0]"),
            history: None,
            last: FramePlace::default(),
            main_time: 0,
            home: [0; 2],
        }
    }

    /// Appends a frame to `out`: its letter and its fields. `values` are those of the fields in their order, as 32
    /// bits, signed ones as two's complement.
    ///
    /// Any iteration and time can be encoded. Readers reject a main frame that jumps without a
    /// [`Resume`](Event::Resume) event before it: backwards, by 5000 iterations or 10 seconds, or in a session of a
    /// steady rate over missing iterations by half a second or more out of that rate.
    ///
    /// # Errors
    ///
    /// If the header doesn't define such frames, or if they can't contain the values. Neither the encoder nor `out` is
    /// changed then.
    pub fn encode(&mut self, letter: u8, values: &[u32], out: &mut FrameBuffer) -> Result<(), UnencodableFrame> {
        let plan = self.header.frame(letter).and_then(|frame| frame.plan().ok());
        // The predictors of a letter that nobody else defines may mean a history of its own.
        let plan = plan.filter(|plan| FrameKind::from_letter(letter).is_some() || !plan.needs_history());
        let plan = plan.ok_or(UnencodableFrame::Undefined { letter })?;
        let fields = self.header.fields(if letter == b'P' { b'I' } else { letter }).len();
        if values.len() != fields || fields > MAX_FIELDS {
            return Err(UnencodableFrame::Count { letter, values: values.len(), fields });
        }
        let mut all = NO_VALUES;
        all[..fields].copy_from_slice(values);
        let residuals = self.residuals(letter, plan, &all)?;
        let start = out.length();
        out.byte(letter);
        let mut fields = out.fields();
        fields.residuals(plan, &residuals);
        fields.finish();
        let length = out.length() - start;
        let error = match (out.fits(), length) {
            (_, length) if length > MAX_FRAME_BYTES => Some(UnencodableFrame::TooLong { letter, length }),
            (false, _) => Some(UnencodableFrame::DoesNotFit { letter }),
            (true, _) => None,
        };
        if let Some(error) = error {
            out.truncate(start);
            return Err(error);
        }
        self.take(letter, all);
        Ok(())
    }

    /// Takes over an event, whose bytes the caller writes ([`Event::encode`]): after a resume, the iterations continue
    /// elsewhere.
    pub fn event(&mut self, event: &Event) {
        if let Event::Resume { iteration, time } = *event {
            self.last = FramePlace { iteration, time };
        }
    }

    /// Takes over a frame whose bytes the caller writes, as they were logged.
    pub(crate) fn frame(&mut self, letter: u8, values: &[u32]) {
        let mut all = NO_VALUES;
        let fields = values.len().min(MAX_FIELDS);
        all[..fields].copy_from_slice(&values[..fields]);
        self.take(letter, all);
    }

    /// The differences between values and predictions.
    fn residuals(&self, letter: u8, plan: &FramePlan, values: &Values) -> Result<Values, UnencodableFrame> {
        let none = NO_VALUES;
        let (before, older) = match (FrameKind::from_letter(letter), &self.history) {
            (Some(FrameKind::Inter), Some([before, older])) => (&**before, &**older),
            (Some(FrameKind::Inter), None) => return Err(UnencodableFrame::NoIntra),
            _ => (&none, &none),
        };
        let iterations = match letter {
            b'P' => self.header.intervals().step(self.last.iteration),
            _ => 1,
        };
        let context = Context { home: self.home, main_time: self.main_time, iterations };
        // What the decoder makes of residuals of 0 are the predictions, except those from motor[0], which is then its
        // own prediction. They come out right once motor[0] has its residual.
        let mut predictions = none;
        plan.predict(&mut predictions, before, older, &context);
        if let Some(motor_0) = self.motor_0 {
            let of_motor_0 = predictions[motor_0];
            predictions = none;
            predictions[motor_0] = values[motor_0].wrapping_sub(of_motor_0);
            plan.predict(&mut predictions, before, older, &context);
            predictions[motor_0] = of_motor_0;
        }
        let mut residuals = *values;
        for (residual, prediction) in residuals.iter_mut().zip(predictions) {
            *residual = residual.wrapping_sub(prediction);
        }
        Ok(residuals)
    }

    /// Takes over an encoded frame, to which later ones refer.
    fn take(&mut self, letter: u8, values: Values) {
        match FrameKind::from_letter(letter) {
            Some(FrameKind::Intra) => self.history = Some([Box::new(values), Box::new(values)]),
            Some(FrameKind::Inter) => {
                if let Some(history) = &mut self.history {
                    history.swap(0, 1);
                    *history[0] = values;
                }
            }
            Some(FrameKind::Home) => {
                self.home = self.referred.home(&values);
                return;
            }
            _ => return,
        }
        self.last = self.referred.place(&values, self.last);
        self.main_time = self.last.time;
    }
}

impl fmt::Display for UnencodableFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            UnencodableFrame::Undefined { letter } => {
                write!(f, "the header doesn't define how {} frames are encoded", letter.escape_ascii())
            }
            UnencodableFrame::Count { letter, values, fields } => {
                write!(f, "{values} values for the {fields} fields of {} frames", letter.escape_ascii())
            }
            UnencodableFrame::NoIntra => f.write_str("a P frame refers to an I frame before it; encode one first"),
            UnencodableFrame::DoesNotFit { letter } => write!(
                f,
                "a value of the {} frame is too far from its prediction for its encoding; encode an I frame",
                letter.escape_ascii()
            ),
            UnencodableFrame::TooLong { letter, length } => {
                write!(f, "the {} frame has {length} bytes; decoders accept {MAX_FRAME_BYTES}", letter.escape_ascii())
            }
        }
    }
}

impl std::error::Error for UnencodableFrame {}
