//! Reads a session's frames as the program's structs.

mod by_name;
mod error;

pub use error::{Beyond, TypedError};

use super::frames::{Frame, Frames, Item};
use super::session::Session;
use crate::blackbox::decode::Derived;
use crate::blackbox::{BlackboxFrame, BlackboxSchema, Encoding, FieldDefinition, FrameKind, Predictor};
use by_name::ByName;
use std::fmt;
use std::marker::PhantomData;

/// A frame as the program's struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypedFrame<F> {
    /// Where it begins, in bytes from the start of the log.
    pub offset: usize,
    /// Its time in microseconds, extended beyond the 32 bits of the field `time`. For a frame without that field, the
    /// time of the main frame before.
    pub time_us: u64,
    /// The struct, or the schema's enum.
    pub frame: F,
}

impl<'log> Session<'log> {
    /// The frames of one kind as structs, with the events and lost stretches between them.
    ///
    /// Fields are matched by name: the log may have more of them, in any order, and other predictors and encodings. A
    /// field that the log lacks is read by its `alias`, or has its `default`. A type may be wider or narrower than that
    /// of the firmware; a value beyond its range is an error, after which reading continues.
    ///
    /// ```
    /// use binlog::blackbox::log::Item;
    /// use binlog::blackbox::{BlackboxFrame, BlackboxLog};
    /// use zerocopy::{FromBytes, Immutable, IntoBytes};
    /// # use binlog::blackbox::{BlackboxSchema, BlackboxWriter};
    /// # #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
    /// # #[blackbox(main)]
    /// # #[repr(C)]
    /// # struct Logged { loop_iteration: u32, time: u32, gyro_adc: [i16; 2], motor: [u16; 2] }
    /// # #[derive(BlackboxSchema)]
    /// # #[blackbox(allow(not_portable), header("motorOutput" = "158,2047"))]
    /// # enum Log { Main(Logged) }
    /// # let mut log = BlackboxWriter::<Log, _>::new(Vec::new())?;
    /// # for i in 0..40 {
    /// #     log.write(&Logged { loop_iteration: i, time: 125 * i, gyro_adc: [i as i16, -3], motor: [1000; 2] })?;
    /// # }
    /// # let bytes = log.finish()?;
    ///
    /// /// What this program wants to know of any log.
    /// #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
    /// #[blackbox(main)]
    /// #[repr(C)]
    /// struct Rates {
    ///     loop_iteration: u32,
    ///     time: u32,
    ///     #[blackbox(name = "gyroADC")]
    ///     gyro: [i32; 2],
    /// }
    ///
    /// let log = BlackboxLog::from_bytes(&*bytes);
    /// let mut fastest = 0;
    /// for session in log.sessions() {
    ///     for item in session.typed::<Rates>()? {
    ///         match item? {
    ///             Item::Frame(main) => fastest = fastest.max(main.frame.gyro[0].abs()),
    ///             Item::Event { time_us, event, .. } => println!("{time_us} µs: {event:?}"),
    ///             Item::Lost(lost) => eprintln!("{lost}"),
    ///         }
    ///     }
    /// }
    /// assert_eq!(fastest, 39);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Where the header defines exactly the struct's fields, their predictors and encodings, the frames are decoded by
    /// the struct's derived code, which takes less time.
    ///
    /// # Errors
    ///
    /// If the header doesn't define such frames, if they can't be decoded, or if they lack fields of the struct that
    /// have no default; the error names all of them.
    pub fn typed<F: BlackboxFrame>(&self) -> Result<Typed<'_, F>, TypedError> {
        let reads = ByName::new(self, F::KIND, F::FIELDS)?;
        let mut frames = self.frames();
        derive::<F>(&mut frames, self);
        Ok(Typed { frames, reads, frame: PhantomData })
    }

    /// All frames of a schema as its enum, with the events and lost stretches between them.
    ///
    /// The fields of each frame are matched by name, as in [`typed`](Self::typed). The log may lack frames of the
    /// schema, apart from main frames; other frames of the log are left out.
    ///
    /// # Errors
    ///
    /// If the header doesn't define main frames, if frames can't be decoded, or if they lack fields of their struct
    /// that have no default; the error names all of them.
    pub fn typed_frames<S: BlackboxSchema>(&self) -> Result<TypedFrames<'_, S>, TypedError> {
        let mut frames = self.frames();
        let main = ByName::new(self, FrameKind::Intra, S::Main::FIELDS)?;
        derive::<S::Main>(&mut frames, self);
        derive::<S::Slow>(&mut frames, self);
        derive::<S::Gps>(&mut frames, self);
        derive::<S::Home>(&mut frames, self);
        Ok(TypedFrames {
            frames,
            main,
            slow: self.if_defined::<S::Slow>()?,
            gps: self.if_defined::<S::Gps>()?,
            home: self.if_defined::<S::Home>()?,
            schema: PhantomData,
        })
    }

    /// How a frame is read that the schema and the log may lack.
    fn if_defined<F: BlackboxFrame>(&self) -> Result<Option<ByName>, TypedError> {
        match self.header().frame(F::KIND.letter()) {
            Some(_) => ByName::new(self, F::KIND, F::FIELDS).map(Some),
            None => Ok(None),
        }
    }
}

/// Decodes the frames of a kind by derived code if that is what the header says.
fn derive<F: BlackboxFrame>(frames: &mut Frames<'_>, session: &Session<'_>) {
    let is = |kind| is_defined_as(session, kind, F::FIELDS);
    match F::KIND {
        FrameKind::Event => {}
        FrameKind::Intra => {
            if is(FrameKind::Intra) && is(FrameKind::Inter) {
                frames.derive(b'I', Derived::intra::<F>());
                frames.derive(b'P', Derived::inter::<F>());
            }
        }
        kind => {
            if is(kind) {
                frames.derive(kind.letter(), Derived::intra::<F>());
            }
        }
    }
}

/// Whether the header defines exactly these fields for frames of a kind.
fn is_defined_as(session: &Session<'_>, kind: FrameKind, fields: &[FieldDefinition]) -> bool {
    let header = session.header();
    let logged = header.fields(kind.letter());
    // Derived code reads groups as in data version 2.
    header.data_version() == 2
        && logged.len() == fields.len()
        && logged.iter().zip(fields).all(|(logged, field)| {
            let coding = field.coding(kind);
            // Decoders read nothing for an incremented field, even if its encoding isn't `NULL`.
            let is_read = coding.predictor != Predictor::Increment || coding.encoding == Encoding::Null;
            logged.name() == field.name
                && logged.is_signed() == field.signed
                && logged.predictor() == Some(coding.predictor)
                && logged.encoding() == Some(coding.encoding)
                && is_read
        })
}

/// Whether a frame is of a kind; P frames are main frames, as I frames are.
fn is_of(kind: FrameKind, frame: &Frame<'_>) -> bool {
    frame.kind() == Some(kind) || kind == FrameKind::Intra && frame.kind() == Some(FrameKind::Inter)
}

/// The frames of one kind as structs: returned by [`Session::typed`].
pub struct Typed<'s, F> {
    frames: Frames<'s>,
    reads: ByName,
    frame: PhantomData<fn() -> F>,
}

impl<F: BlackboxFrame> Iterator for Typed<'_, F> {
    type Item = Result<Item<TypedFrame<F>>, Beyond>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            return Some(match self.frames.next()? {
                Item::Frame(frame) if is_of(F::KIND, &frame) => self.reads.read(&frame).map(Item::Frame),
                Item::Frame(_) => continue,
                Item::Event { offset, time_us, event } => Ok(Item::Event { offset, time_us, event }),
                Item::Lost(lost) => Ok(Item::Lost(lost)),
            });
        }
    }
}

/// The frames of a schema as its enum: returned by [`Session::typed_frames`].
pub struct TypedFrames<'s, S> {
    frames: Frames<'s>,
    main: ByName,
    slow: Option<ByName>,
    gps: Option<ByName>,
    home: Option<ByName>,
    schema: PhantomData<fn() -> S>,
}

impl<S: BlackboxSchema> Iterator for TypedFrames<'_, S> {
    type Item = Result<Item<TypedFrame<S>>, Beyond>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            return Some(match self.frames.next()? {
                Item::Frame(frame) => {
                    let read = match frame.kind() {
                        Some(FrameKind::Intra | FrameKind::Inter) => in_schema::<S, S::Main>(&mut self.main, &frame),
                        Some(FrameKind::Slow) => {
                            self.slow.as_mut().and_then(|reads| in_schema::<S, S::Slow>(reads, &frame))
                        }
                        Some(FrameKind::Gps) => {
                            self.gps.as_mut().and_then(|reads| in_schema::<S, S::Gps>(reads, &frame))
                        }
                        Some(FrameKind::Home) => {
                            self.home.as_mut().and_then(|reads| in_schema::<S, S::Home>(reads, &frame))
                        }
                        Some(FrameKind::Event) | None => None,
                    };
                    match read {
                        Some(read) => read.map(Item::Frame),
                        None => continue,
                    }
                }
                Item::Event { offset, time_us, event } => Ok(Item::Event { offset, time_us, event }),
                Item::Lost(lost) => Ok(Item::Lost(lost)),
            });
        }
    }
}

/// A frame as the schema's enum.
#[inline]
fn in_schema<S: BlackboxSchema, F: BlackboxFrame>(
    reads: &mut ByName,
    frame: &Frame<'_>,
) -> Option<Result<TypedFrame<S>, Beyond>> {
    match reads.read::<F>(frame) {
        Ok(TypedFrame { offset, time_us, frame }) => {
            S::from_frame(F::KIND, frame.wire()).map(|frame| Ok(TypedFrame { offset, time_us, frame }))
        }
        Err(error) => Some(Err(error)),
    }
}

impl<F> fmt::Debug for Typed<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed").field("offset", &self.frames.offset()).finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for TypedFrames<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedFrames").field("offset", &self.frames.offset()).finish_non_exhaustive()
    }
}
