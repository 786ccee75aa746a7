use binlog::Columns;
use zerocopy::{Immutable, IntoBytes};

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Vector3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Columns, IntoBytes, Immutable)]
#[repr(C)]
struct Sample {
    gyro_y: f32,
    #[log(flatten)]
    gyro: Vector3,
}

fn main() {}
