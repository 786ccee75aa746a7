//! The predictors and encodings by the names that attributes give them: those of the format, in lower case.

use crate::nearest::did_you_mean_or;
use quote::ToTokens;
use syn::{Expr, ExprLit, Lit};

/// Declares an enum of names, with the variant of `binlog::blackbox` for each, and its number in header lines.
macro_rules! named {
    ($type:ident, $what:literal, $plural:literal { $($variant:ident = $number:literal $name:literal,)* }) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum $type {
            $($variant,)*
        }

        impl $type {
            const NAMES: &'static [(&'static str, u8, $type)] = &[$(($name, $number, $type::$variant),)*];

            /// The name in attributes.
            pub(super) fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)*
                }
            }

            /// The variant's name in `binlog::blackbox`.
            pub(super) fn variant(self) -> &'static str {
                match self {
                    $($type::$variant => stringify!($variant),)*
                }
            }

            /// Parses the value of an attribute: a name, or 1500.
            fn of(expr: &Expr) -> Result<Self, String> {
                let text = match expr {
                    Expr::Path(path) => match path.path.get_ident() {
                        Some(ident) => ident.to_string(),
                        None => path.to_token_stream().to_string(),
                    },
                    Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                        return Err(format!(concat!("the name of ", $what, " has no quotes: `{}`"), text.value()));
                    }
                    expr => expr.to_token_stream().to_string(),
                };
                let numbered = |&&(_, number, _): &&(&str, u8, $type)| number.to_string() == text;
                match Self::NAMES.iter().find(|known| known.0 == text) {
                    Some(&(_, _, value)) => Ok(value),
                    None => Err(match Self::NAMES.iter().find(numbered) {
                        Some((name, ..)) => format!(concat!($what, " is given by its name; {} is `{}`"), text, name),
                        None => {
                            let names = Self::NAMES.iter().map(|known| known.0);
                            let hint = did_you_mean_or(&text, names, concat!($plural, " are"));
                            format!(concat!("`{}` is not ", $what, " of the format{}"), text, hint)
                        }
                    }),
                }
            }
        }
    };
}

named! {
    Predictor, "a predictor", "predictors" {
        Zero = 0 "zero",
        Previous = 1 "previous",
        StraightLine = 2 "straight_line",
        Average2 = 3 "average_2",
        MinThrottle = 4 "minthrottle",
        Motor0 = 5 "motor_0",
        Increment = 6 "inc",
        HomeCoordinate = 7 "home_coord",
        Fixed1500 = 8 "1500",
        VbatRef = 9 "vbatref",
        LastMainFrameTime = 10 "last_main_frame_time",
        MinMotor = 11 "minmotor",
    }
}

named! {
    Encoding, "an encoding", "encodings" {
        SignedVb = 0 "signed_vb",
        UnsignedVb = 1 "unsigned_vb",
        Neg14Bit = 3 "neg_14bit",
        EliasDeltaU32 = 4 "elias_delta_u32",
        EliasDeltaS32 = 5 "elias_delta_s32",
        Tag8_8Svb = 6 "tag8_8svb",
        Tag2_3S32 = 7 "tag2_3s32",
        Tag8_4S16 = 8 "tag8_4s16",
        Null = 9 "null",
    }
}

impl Predictor {
    pub(super) fn parse(expr: &Expr) -> syn::Result<Self> {
        Self::of(expr).map_err(|text| syn::Error::new_spanned(expr, text))
    }

    /// Whether it needs the frames of its kind before it, which only P frames have.
    pub(super) fn needs_history(self) -> bool {
        matches!(self, Predictor::Previous | Predictor::StraightLine | Predictor::Average2 | Predictor::Increment)
    }
}

impl Encoding {
    pub(super) fn parse(expr: &Expr) -> syn::Result<Self> {
        let text = expr.to_token_stream().to_string();
        if ["10", "tag2_3svariable"].contains(&text.as_str()) {
            let text = "encoding 10 means different things to Betaflight (TAG2_3SVARIABLE) and to blackbox-tools, so no \
                        log should have it; take `tag2_3s32`";
            return Err(syn::Error::new_spanned(expr, text));
        }
        Self::of(expr).map_err(|text| syn::Error::new_spanned(expr, text))
    }

    /// The number of neighbouring fields that one group has to have.
    pub(super) fn group(self) -> Option<usize> {
        match self {
            Encoding::Tag2_3S32 => Some(3),
            Encoding::Tag8_4S16 => Some(4),
            _ => None,
        }
    }
}
