//! Snapshots of the derives' output; `cargo insta review` shows changes.

use proc_macro2::TokenStream;
use syn::{DeriveInput, Expr, Item, ItemConst, Stmt, parse_quote};

fn printed(output: TokenStream) -> String {
    let mut file: syn::File = syn::parse2(output).expect("the derive writes items");
    for item in &mut file.items {
        if let Item::Const(ItemConst { expr, .. }) = item
            && let Expr::Block(block) = &mut **expr
        {
            block.block.stmts.iter_mut().for_each(without_macro);
        }
    }
    prettyplease::unparse(&file)
}

/// Shows the item in the macro `reading!`, whose tokens aren't formatted, as an item with that attribute.
fn without_macro(statement: &mut Stmt) {
    if let Stmt::Macro(macro_) = statement
        && macro_.mac.path.segments.last().is_some_and(|name| name.ident == "reading")
    {
        let item = macro_.mac.tokens.clone();
        *statement = parse_quote!(#[reading] #item);
    }
}

/// Without the input, which is in this file.
macro_rules! assert_snapshot {
    ($($argument:expr),*) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($($argument),*) })
    };
}

fn message(input: DeriveInput) -> String {
    printed(crate::log_message(&input))
}

#[test]
fn a_message_of_scaled_integers() {
    assert_snapshot!(message(parse_quote! {
        /// Vehicle attitude.
        #[log(name = "ATT")]
        #[repr(C, packed)]
        pub struct Attitude {
            /// Time since boot.
            pub time_us: u64,
            /// Desired roll.
            #[log(unit = "deg")]
            pub des_roll: Centi<i16>,
            #[log(label = "ErrRP", unit = 'd')]
            pub error_roll_pitch: Centi<u16>,
        }
    }));
}

#[test]
fn a_message_with_instances_and_a_custom_unit() {
    assert_snapshot!(message(parse_quote! {
        #[log(name = "MAG", crate = "crate::logging::binlog")]
        #[repr(C, packed)]
        struct Compass {
            time_us: u64,
            #[log(label = "I", instance)]
            instance: u8,
            #[log(unit = units::MICROTESLA, mult = 1e-3)]
            mag_x: i16,
            health: bool,
        }
    }));
}

#[test]
fn a_message_with_text_coordinates_and_bits() {
    assert_snapshot!(message(parse_quote! {
        #[log(name = "WAYP")]
        #[repr(C)]
        struct Waypoint {
            time_us: u64,
            latitude: field::Latitude,
            r#type: Chars<4>,
            #[log(bits(0 = "reached", 1 = "skipped"))]
            flags: u32,
        }
    }));
}

#[test]
fn a_message_with_a_suspicious_float() {
    assert_snapshot!(message(parse_quote! {
        #[log(name = "CTUN")]
        #[repr(C, packed)]
        struct ControlTuning {
            time_us: u64,
            #[log(unit = "m", mult = 1e-2)]
            baro_alt: f32,
            #[log(unit = "m", mult = 1e-2, allow(float_multiplier))]
            terrain_alt: f32,
        }
    }));
}

#[test]
fn a_message_as_another_firmware_logs_it() {
    assert_snapshot!(message(parse_quote! {
        /// Definition of a message.
        #[log(name = "FMT", as_logged, default_id = 128)]
        #[repr(C, packed)]
        struct Fmt {
            r#type: u8,
            #[log(unit = "B", mult = '-')]
            length: u8,
        }
    }));
}

#[test]
fn a_message_with_a_type_called_like_one_of_std() {
    assert_snapshot!(message(parse_quote! {
        #[log(name = "TASK")]
        #[repr(C, packed)]
        struct Task {
            time_us: u64,
            longest: Duration,
        }
    }));
}

#[test]
fn a_message_that_reads_older_logs() {
    assert_snapshot!(message(parse_quote! {
        #[log(name = "ENG", alias = "MOT")]
        #[repr(C, packed)]
        struct Engine {
            time_us: u64,
            #[log(alias = "Turns", alias = "Revs")]
            rev: u32,
            #[log(default)]
            errors: u8,
            #[log(unit = "degC", default = Self::COLD)]
            temp: f32,
        }
    }));
}

#[test]
fn a_message_with_flattened_fields() {
    assert_snapshot!(message(parse_quote! {
        #[log(name = "IMU")]
        #[repr(C, packed)]
        struct Imu {
            time_us: u64,
            /// Rates.
            #[log(flatten, prefix = "Gyr", unit = "rad/s", mult = 1e-3)]
            gyro: Vector3,
            #[log(flatten, names = "X,Y", unit = "deg")]
            tilt: [f32; 2],
        }
    }));
}

#[test]
fn a_message_with_a_flattened_array_only() {
    assert_snapshot!(message(parse_quote! {
        #[log(name = "RCIN")]
        #[repr(C, packed)]
        struct Input {
            time_us: u64,
            #[log(flatten, prefix = "C", unit = "us")]
            rc: [u16; 3],
        }
    }));
}

#[test]
fn columns_of_a_struct_and_of_a_tuple_struct() {
    let named: DeriveInput = parse_quote! {
        #[repr(C)]
        struct Vector3 {
            /// Forward.
            x: f32,
            y: f32,
        }
    };
    let tuple: DeriveInput = parse_quote! {
        #[repr(C, packed)]
        struct Pair(#[log(flatten)] Vector3, #[log(label = "Age", unit = "s")] u8);
    };
    assert_snapshot!("columns_of_a_struct", printed(crate::columns(&named)));
    assert_snapshot!("columns_of_a_tuple_struct", printed(crate::columns(&tuple)));
}

#[test]
fn a_message_with_mistakes() {
    assert_snapshot!(message(parse_quote! {
        #[log(name = "Attitude")]
        struct Attitude {
            time: u64,
        }
    }));
}

#[test]
fn a_schema() {
    assert_snapshot!(printed(crate::log_schema(&parse_quote! {
        enum FlightLog {
            #[log(id = 0x64)]
            Att(Attitude),
            Ctun(ControlTuning),
            Msg(messages::Msg),
        }
    })));
}

#[test]
fn a_schema_with_a_sink_of_its_own() {
    let schema = printed(crate::log_schema(&parse_quote! {
        #[log(sink = FlightSink, crate = "firmware::binlog")]
        pub(crate) enum FlightLog {
            Att(Attitude),
            Msg(messages::Msg),
        }
    }));
    let (_, sink) = schema.split_once("///").expect("its docs");
    assert_snapshot!(format!("///{sink}"));
}

#[test]
fn fields_of_an_enum_and_of_a_newtype() {
    let values: DeriveInput = parse_quote! {
        #[repr(u8)]
        enum ArmState {
            /// Motors are off.
            Disarmed = 0,
            Armed = 1,
        }
    };
    let newtype: DeriveInput = parse_quote! {
        #[repr(transparent)]
        #[log(unit = "V", mult = 1e-3)]
        struct Millivolts(u16);
    };
    assert_snapshot!("field_of_an_enum", printed(crate::field_type(&values)));
    assert_snapshot!("field_of_a_newtype", printed(crate::field_type(&newtype)));
}

#[test]
fn a_blackbox_main_frame() {
    assert_snapshot!(printed(crate::blackbox::frame(&parse_quote! {
        #[blackbox(main)]
        #[repr(C)]
        struct MainFrame {
            loop_iteration: u32,
            time: u32,
            axis_i: [i16; 3],
            setpoint: [i16; 4],
            vbat_latest: u16,
            #[blackbox(name = "baroAlt")]
            altitude: i32,
            #[blackbox(p(predictor = average_2))]
            throttle: units::Percent,
            gyro_adc: [i16; 2],
            #[blackbox(i(encoding = elias_delta_u32), p(encoding = elias_delta_s32))]
            debug: [i16; 2],
            motor: [u16; 2],
        }
    })));
}

#[test]
fn a_blackbox_main_frame_with_flattened_fields() {
    assert_snapshot!(printed(crate::blackbox::frame(&parse_quote! {
        #[blackbox(main)]
        #[repr(C, packed)]
        struct MainFrame {
            loop_iteration: u32,
            time: u32,
            #[blackbox(flatten, prefix = "axis")]
            pid: Pid,
            rssi: u16,
        }
    })));
}

#[test]
fn a_blackbox_frame_that_reads_older_logs() {
    assert_snapshot!(printed(crate::blackbox::frame(&parse_quote! {
        #[blackbox(slow)]
        #[repr(C, packed)]
        struct SlowFrame {
            #[blackbox(alias = "modes", alias = "flags", default)]
            flight_mode_flags: u32,
            #[blackbox(alias = "channel", default = Self::CENTERED)]
            sticks: [u16; 2],
            #[blackbox(flatten, prefix = "wind", default = Wind::CALM)]
            wind: Wind,
        }
    })));
}

#[test]
fn blackbox_fields_of_a_struct() {
    assert_snapshot!(printed(crate::blackbox::fields(&parse_quote! {
        #[repr(C)]
        struct Pid {
            p: [i16; 2],
            #[blackbox(name = "Sum", p(predictor = zero))]
            sum: i16,
        }
    })));
}

#[test]
fn blackbox_slow_gps_and_home_frames() {
    let slow: DeriveInput = parse_quote! {
        #[blackbox(slow)]
        #[repr(C, packed)]
        struct SlowFrame {
            flight_mode_flags: u32,
            failsafe_phase: u8,
            rx_signal_received: u8,
            rx_flight_channels_valid: u8,
        }
    };
    let gps: DeriveInput = parse_quote! {
        #[blackbox(gps)]
        #[repr(C)]
        struct GpsFrame {
            time: u32,
            gps_coord: [i32; 2],
            gps_speed: u16,
            gps_ground_course: u16,
        }
    };
    let home: DeriveInput = parse_quote! {
        #[blackbox(home)]
        #[repr(C)]
        struct HomeFrame {
            gps_home: [i32; 2],
        }
    };
    assert_snapshot!("blackbox_slow_frame", printed(crate::blackbox::frame(&slow)));
    assert_snapshot!("blackbox_gps_frame", printed(crate::blackbox::frame(&gps)));
    assert_snapshot!("blackbox_home_frame", printed(crate::blackbox::frame(&home)));
}

#[test]
fn a_blackbox_frame_that_is_not_portable() {
    assert_snapshot!(printed(crate::blackbox::frame(&parse_quote! {
        #[blackbox(gps)]
        #[repr(C)]
        struct GpsFrame {
            gps_num_sat: u32,
        }
    })));
}

#[test]
fn a_blackbox_frame_with_mistakes() {
    assert_snapshot!(printed(crate::blackbox::frame(&parse_quote! {
        #[blackbox(main)]
        #[repr(C)]
        struct MainFrame {
            time: u32,
            roll: f32,
        }
    })));
}

#[test]
fn a_blackbox_schema() {
    assert_snapshot!(printed(crate::blackbox::schema(&parse_quote! {
        #[blackbox(i_interval = 64, p_rate = "1/4", header("looptime" = "125", "Craft name" = "Hawk"))]
        enum FlightLog {
            Main(MainFrame),
            Slow(frames::SlowFrame),
        }
    })));
}
