//! Pictures that providers take.

mod encode;
mod sniff;

use std::borrow::Cow;
use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageReader, Limits};
use thiserror::Error;

pub use sniff::{ImageKind, sniff_image};

use encode::{encode_png, encode_within};

/// What a picture may take in memory once it is decoded.
const MAX_DECODED_BYTES: u64 = 256 * 1024 * 1024;

/// How large a picture may be that goes to a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageLimits {
    /// Pixels from left to right.
    pub max_width: u32,
    /// Pixels from top to bottom.
    pub max_height: u32,
    /// Bytes of its base64 form must stay below this.
    pub max_base64_bytes: usize,
    /// The first quality tried for JPEG.
    pub jpeg_quality: u8,
}

impl Default for ImageLimits {
    fn default() -> Self {
        Self {
            max_width: 2000,
            max_height: 2000,
            max_base64_bytes: 4_718_592,
            jpeg_quality: 80,
        }
    }
}

impl ImageLimits {
    pub(crate) fn takes_bytes(&self, bytes: usize) -> bool {
        bytes.div_ceil(3) * 4 < self.max_base64_bytes
    }

    /// Returns the largest size of the same shape.
    fn fit(&self, (width, height): (u32, u32)) -> (u32, u32) {
        let (mut fitted_width, mut fitted_height) = (width, height);
        if fitted_width > self.max_width {
            fitted_height = scaled(height, self.max_width, width);
            fitted_width = self.max_width;
        }
        if fitted_height > self.max_height {
            fitted_width = scaled(fitted_width, self.max_height, fitted_height);
            fitted_height = self.max_height;
        }
        (fitted_width, fitted_height)
    }
}

/// Returns `side` times `to` over `from`, rounded, at least 1.
fn scaled(side: u32, to: u32, from: u32) -> u32 {
    let exact = f64::from(side) * f64::from(to) / f64::from(from.max(1));
    (exact.round() as u32).max(1)
}

/// A picture that providers take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedImage<'a> {
    /// The file: the bytes that came, if they were all right.
    pub bytes: Cow<'a, [u8]>,
    /// What it is now.
    pub kind: ImageKind,
    /// What it was.
    pub original_kind: ImageKind,
    /// Width and height that it had, upright.
    pub original_size: (u32, u32),
    /// Width and height that it has.
    pub size: (u32, u32),
    /// Whether it was encoded anew to keep within the limits.
    pub was_resized: bool,
}

impl FittedImage<'_> {
    /// Returns what a model should know of the changes, if there are any.
    pub fn hint(&self) -> Option<String> {
        let mut hints = Vec::new();
        if !self.was_resized && self.original_kind != self.kind {
            hints.push(format!(
                "[image converted from {} to {}]",
                self.original_kind.mime_type(),
                self.kind.mime_type()
            ));
        }
        if self.was_resized {
            let ((width, height), (old_width, old_height)) = (self.size, self.original_size);
            let scale = f64::from(old_width) / f64::from(width.max(1));
            hints.push(format!(
                "[image shown at {width}x{height}, original {old_width}x{old_height}; multiply \
                 coordinates by {scale:.2} to get those of the original]"
            ));
        }
        (!hints.is_empty()).then(|| hints.join("\n"))
    }
}

/// Why a picture cannot go to a provider.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ImageFault {
    /// The bytes are no picture, or of a form that no provider takes.
    #[error("it is not a PNG, JPEG, GIF, WebP or BMP file")]
    Unsupported,
    /// The bytes begin like a picture and do not go on like one.
    #[error("the {kind} data is damaged: {reason}")]
    Damaged {
        /// What it begins like.
        kind: ImageKind,
        /// What the decoder says.
        reason: String,
    },
    /// Decoding it would take too much memory.
    #[error("with {width}x{height} pixels it is too large to decode")]
    TooManyPixels {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// It cannot be made small enough.
    #[error("it cannot be made small enough")]
    CannotFit,
}

/// Brings a picture into a form that providers take.
///
/// What is within `limits` keeps its bytes. What is not is scaled down, upright, and encoded as the
/// smaller of PNG and JPEG. BMP and animated PNG become PNG. Without limits nothing is scaled.
/// Dimensions and memory are checked before anything is decoded.
///
/// Errors: why it cannot be; meant to stand behind "image left out:".
pub fn fit_image<'a>(
    bytes: &'a [u8],
    limits: Option<&ImageLimits>,
) -> Result<FittedImage<'a>, ImageFault> {
    let original_kind = sniff_image(bytes).ok_or(ImageFault::Unsupported)?;
    let picture = decode(bytes, original_kind)?;
    let size = (picture.width(), picture.height());
    let must_convert = original_kind == ImageKind::Bmp || sniff::is_animated_png(bytes);
    let fits = |length: usize| {
        limits.is_none_or(|limits| limits.fit(size) == size && limits.takes_bytes(length))
    };
    let mut fitted = FittedImage {
        bytes: Cow::Borrowed(bytes),
        kind: original_kind,
        original_kind,
        original_size: size,
        size,
        was_resized: false,
    };
    if fits(bytes.len()) && !must_convert {
        return Ok(fitted);
    }
    if must_convert && limits.is_none_or(|limits| limits.fit(size) == size) {
        let png = encode_png(&picture).ok_or(ImageFault::CannotFit)?;
        if fits(png.len()) {
            fitted.bytes = Cow::Owned(png);
            fitted.kind = ImageKind::Png;
            return Ok(fitted);
        }
    }
    let limits = limits.ok_or(ImageFault::CannotFit)?;
    let encoded = encode_within(&picture, limits.fit(size), limits).ok_or(ImageFault::CannotFit)?;
    fitted.bytes = Cow::Owned(encoded.bytes);
    fitted.kind = encoded.kind;
    fitted.size = encoded.size;
    fitted.was_resized = true;
    Ok(fitted)
}

/// Decodes a picture upright.
fn decode(bytes: &[u8], kind: ImageKind) -> Result<DynamicImage, ImageFault> {
    let damaged = |error: image::ImageError| ImageFault::Damaged {
        kind,
        reason: error.to_string(),
    };
    let mut limits = Limits::default();
    limits.max_alloc = Some(2 * MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), kind.format());
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    if decoder.total_bytes() > MAX_DECODED_BYTES {
        let (width, height) = decoder.dimensions();
        return Err(ImageFault::TooManyPixels { width, height });
    }
    let orientation = decoder.orientation().map_err(damaged)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}
