//! What must hold for any bytes: the code of the fuzz targets. The tests of their corpora and others call it, too.

pub mod blackbox;
pub mod blackbox_encoders;
pub mod blackbox_tools;
pub mod card;
pub mod descriptions;
pub mod log;
pub mod mavlink;
pub mod tools;
