use std::io::Cursor;

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::{ImageKind, ImageLimits};

/// Qualities for JPEG that are tried when the first is not enough.
const QUALITIES: [u8; 4] = [85, 70, 55, 40];

/// A picture that was encoded anew.
pub(super) struct Encoded {
    pub(super) bytes: Vec<u8>,
    pub(super) kind: ImageKind,
    pub(super) size: (u32, u32),
}

/// Encodes a picture at `size`, or smaller where no encoding of that size is within the limits.
pub(super) fn encode_within(
    picture: &DynamicImage,
    size: (u32, u32),
    limits: &ImageLimits,
) -> Option<Encoded> {
    let picture = eight_bit(picture);
    let (mut width, mut height) = size;
    loop {
        let scaled = resize(&picture, (width, height))?;
        if let Some((bytes, kind)) = encode_at_size(&scaled, limits) {
            return Some(Encoded {
                bytes,
                kind,
                size: (width, height),
            });
        }
        if (width, height) == (1, 1) {
            return None;
        }
        width = (width * 3 / 4).max(1);
        height = (height * 3 / 4).max(1);
    }
}

fn encode_at_size(picture: &DynamicImage, limits: &ImageLimits) -> Option<(Vec<u8>, ImageKind)> {
    let opaque = on_white(picture);
    let png = encode_png(picture).map(|bytes| (bytes, ImageKind::Png));
    let jpeg = |quality| encode_jpeg(&opaque, quality).map(|bytes| (bytes, ImageKind::Jpeg));
    let smaller = [png, jpeg(limits.jpeg_quality)]
        .into_iter()
        .flatten()
        .min_by_key(|(bytes, _)| bytes.len())
        .filter(|(bytes, _)| limits.takes_bytes(bytes.len()));
    smaller.or_else(|| {
        QUALITIES
            .into_iter()
            .filter(|quality| *quality < limits.jpeg_quality)
            .filter_map(jpeg)
            .find(|(bytes, _)| limits.takes_bytes(bytes.len()))
    })
}

pub(super) fn encode_png(picture: &DynamicImage) -> Option<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).ok()?;
    Some(bytes.into_inner())
}

fn encode_jpeg(picture: &RgbImage, quality: u8) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality)
        .encode_image(picture)
        .ok()?;
    Some(bytes)
}

fn eight_bit(picture: &DynamicImage) -> DynamicImage {
    if picture.color().has_alpha() {
        picture.to_rgba8().into()
    } else {
        picture.to_rgb8().into()
    }
}

fn resize(picture: &DynamicImage, (width, height): (u32, u32)) -> Option<DynamicImage> {
    if (picture.width(), picture.height()) == (width, height) {
        return Some(picture.clone());
    }
    let mut resized = DynamicImage::new(width, height, picture.color());
    let lanczos = ResizeAlg::Convolution(FilterType::Lanczos3);
    let options = ResizeOptions::new().resize_alg(lanczos);
    Resizer::new()
        .resize(picture, &mut resized, &options)
        .ok()?;
    Some(resized)
}

/// Puts a picture that can be seen through on white, as a page would.
fn on_white(picture: &DynamicImage) -> RgbImage {
    let DynamicImage::ImageRgba8(picture) = picture else {
        return picture.to_rgb8();
    };
    let mut opaque = RgbImage::new(picture.width(), picture.height());
    for (seen, pixel) in opaque.pixels_mut().zip(picture.pixels()) {
        let [red, green, blue, alpha] = pixel.0;
        let alpha = u16::from(alpha);
        let mix = |part: u8| ((u16::from(part) * alpha + 255 * (255 - alpha)) / 255) as u8;
        *seen = Rgb([mix(red), mix(green), mix(blue)]);
    }
    opaque
}
