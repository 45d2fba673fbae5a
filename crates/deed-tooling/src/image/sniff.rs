use std::fmt;

use image::ImageFormat;

/// A form of picture that Deed can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
    /// BMP, which no provider takes.
    Bmp,
}

impl ImageKind {
    /// Returns the media type.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Bmp => "image/bmp",
        }
    }

    pub(super) fn format(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Gif => ImageFormat::Gif,
            Self::WebP => ImageFormat::WebP,
            Self::Bmp => ImageFormat::Bmp,
        }
    }
}

impl fmt::Display for ImageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
            Self::Bmp => "BMP",
        })
    }
}

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Tells by its first bytes what picture a file is; names do not count.
///
/// Shape: the first 4 KiB are enough. Text, also SVG and text that begins with `BM`, is no picture.
pub fn sniff_image(bytes: &[u8]) -> Option<ImageKind> {
    if is_jpeg(bytes) {
        Some(ImageKind::Jpeg)
    } else if png_chunks(bytes).is_some() {
        Some(ImageKind::Png)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some(ImageKind::Gif)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some(ImageKind::WebP)
    } else if is_bmp(bytes).unwrap_or(false) {
        Some(ImageKind::Bmp)
    } else {
        None
    }
}

/// The fourth byte F7 is JPEG-LS, which nobody takes.
fn is_jpeg(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xd8, 0xff]) && bytes.get(3).is_some_and(|byte| *byte != 0xf7)
}

/// Returns what follows the signature if the header chunk comes first.
fn png_chunks(bytes: &[u8]) -> Option<&[u8]> {
    let chunks = bytes.strip_prefix(PNG_SIGNATURE)?;
    chunks.starts_with(b"\0\0\0\x0dIHDR").then_some(chunks)
}

/// Tells whether an animation control chunk stands before the picture data.
pub(super) fn is_animated_png(bytes: &[u8]) -> bool {
    let mut chunks = png_chunks(bytes).unwrap_or_default();
    while let Some((head, rest)) = chunks.split_first_chunk::<8>() {
        let [a, b, c, d, name @ ..] = *head;
        match &name {
            b"acTL" => return true,
            b"IDAT" => return false,
            _ => {}
        }
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        chunks = rest.get(length.saturating_add(4)..).unwrap_or_default();
    }
    false
}

/// Source: the layout of BITMAPFILEHEADER and BITMAPINFOHEADER.
fn is_bmp(bytes: &[u8]) -> Option<bool> {
    let rest = bytes.strip_prefix(b"BM")?;
    let declared_size = u32_at(rest, 0)?;
    let pixel_offset = u32_at(rest, 8)?;
    let header_size = u32_at(rest, 12)?;
    let (planes, bits) = match header_size {
        12 => (u16_at(rest, 20)?, u16_at(rest, 22)?),
        40..=124 => (u16_at(rest, 24)?, u16_at(rest, 26)?),
        _ => return Some(false),
    };
    let begins_after_headers = pixel_offset >= 14 + header_size;
    let begins_inside = declared_size == 0 || pixel_offset < declared_size;
    let has_depth = matches!(bits, 1 | 4 | 8 | 16 | 24 | 32);
    Some(planes == 1 && has_depth && begins_after_headers && begins_inside)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|four| u32::from_le_bytes(*four))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|two| u16::from_le_bytes(*two))
}
