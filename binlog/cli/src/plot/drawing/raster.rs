//! Renders an SVG to PNG.

use super::text::FONT;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::fmt;
use std::sync::Arc;

/// Why a picture can't be rendered.
#[derive(Debug)]
pub enum RasterError {
    /// The SVG is not one.
    Svg(Box<resvg::usvg::Error>),
    /// The picture is too large, or has no pixel.
    Size,
    /// The picture can't be encoded.
    Png(png::EncodingError),
}

/// Renders an SVG, with the embedded font only, so that every computer makes the same picture.
///
/// # Errors
///
/// If it isn't an SVG, or too large for memory.
pub fn png(svg: &str) -> Result<Vec<u8>, RasterError> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| RasterError::Svg(error.into()))?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or(RasterError::Size)?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    // The background is opaque, so the pixels are what they are without premultiplication, too.
    let rgb = pixels.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect::<Vec<u8>>();
    encode(size.width(), size.height(), &rgb).map_err(RasterError::Png)
}

/// Encodes pixels of red, green and blue.
pub(super) fn encode(width: u32, height: u32, rgb: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(bytes)
}

impl fmt::Display for RasterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RasterError::Svg(error) => write!(f, "the picture can't be rendered: {error}"),
            RasterError::Size => f.write_str("a picture of this size can't be rendered; choose a smaller --size"),
            RasterError::Png(error) => write!(f, "the picture can't be encoded as PNG: {error}"),
        }
    }
}

impl std::error::Error for RasterError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RasterError::Svg(error) => Some(error),
            RasterError::Size => None,
            RasterError::Png(error) => Some(error),
        }
    }
}
