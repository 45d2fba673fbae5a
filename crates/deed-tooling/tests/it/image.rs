use std::borrow::Cow;
use std::io::Cursor;

use deed_tooling::{ImageFault, ImageKind, ImageLimits, fit_image, sniff_image};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

pub(crate) fn noise(width: u32, height: u32) -> DynamicImage {
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    RgbImage::from_fn(width, height, |_, _| Rgb([next(), next(), next()])).into()
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

pub(crate) fn png(picture: &DynamicImage) -> Vec<u8> {
    encoded(picture, ImageFormat::Png)
}

pub(crate) fn bmp(picture: &DynamicImage) -> Vec<u8> {
    encoded(picture, ImageFormat::Bmp)
}

fn base64_length(bytes: &[u8]) -> usize {
    bytes.len().div_ceil(3) * 4
}

#[test]
fn b034_the_limit_is_on_the_encoded_payload() {
    let bytes = png(&noise(100, 100));
    let at = |max_base64_bytes| ImageLimits {
        max_base64_bytes,
        ..ImageLimits::default()
    };
    let limits = at(base64_length(&bytes) + 1);
    assert!(!fit_image(&bytes, Some(&limits)).unwrap().was_resized);
    let limits = at(base64_length(&bytes));
    let fitted = fit_image(&bytes, Some(&limits)).unwrap();
    assert!(fitted.was_resized, "the raw bytes alone would have passed");
    assert!(base64_length(&fitted.bytes) < limits.max_base64_bytes);
    assert_eq!(fitted.size, (100, 100));
    assert!(fitted.hint().unwrap().contains("1.00"));
    assert_eq!(ImageLimits::default().max_base64_bytes, 4_718_592);
}

#[test]
fn b035_dimensions_are_checked_whatever_the_size_of_the_file() {
    let bytes = png(&RgbImage::new(9000, 40).into());
    assert!(bytes.len() < 10_000);
    let fitted = fit_image(&bytes, Some(&ImageLimits::default())).unwrap();
    assert_eq!((fitted.size, fitted.original_size), ((2000, 9), (9000, 40)));
    assert!(fitted.hint().unwrap().contains("4.50"));
}

#[test]
fn a_picture_that_would_fill_the_memory_is_refused_before_it_is_decoded() {
    let mut bytes = png(&RgbImage::new(1, 1).into());
    bytes[16..20].copy_from_slice(&60_000_u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&60_000_u32.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    let fault = fit_image(&bytes, Some(&ImageLimits::default())).unwrap_err();
    assert_eq!(
        fault,
        ImageFault::TooManyPixels {
            width: 60_000,
            height: 60_000
        }
    );
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    !crc
}

#[test]
fn b041_the_smaller_encoding_is_taken() {
    let limits = ImageLimits {
        max_width: 200,
        max_height: 200,
        ..ImageLimits::default()
    };
    let photo = encoded(&noise(400, 300), ImageFormat::Jpeg);
    let fitted = fit_image(&photo, Some(&limits)).unwrap();
    assert_eq!((fitted.kind, fitted.size), (ImageKind::Jpeg, (200, 150)));
    let flat = png(&RgbImage::from_pixel(400, 300, Rgb([9, 9, 9])).into());
    let fitted = fit_image(&flat, Some(&limits)).unwrap();
    assert_eq!(fitted.kind, ImageKind::Png);
}

#[test]
fn quality_goes_down_before_the_size_does() {
    let bytes = png(&noise(200, 200));
    let at = |max_base64_bytes| {
        let limits = ImageLimits {
            max_base64_bytes,
            ..ImageLimits::default()
        };
        fit_image(&bytes, Some(&limits)).map(|fitted| (fitted.size, fitted.bytes.len()))
    };
    let (size, length) = at(60_000).unwrap();
    assert_eq!(size, (200, 200));
    assert!(length < 45_000);
    let (size, _) = at(20_000).unwrap();
    assert!(size.0 < 200 && size.0 == size.1, "{size:?}");
    assert_eq!(at(90), Err(ImageFault::CannotFit));
}

#[test]
fn a_jpeg_is_turned_upright_before_it_is_made_smaller() {
    let jpeg = encoded(&noise(300, 100), ImageFormat::Jpeg);
    let exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let mut turned = jpeg[..2].to_vec();
    turned.extend([0xff, 0xe1]);
    turned.extend((exif.len() as u16 + 2).to_be_bytes());
    turned.extend(exif);
    turned.extend(&jpeg[2..]);
    let limits = ImageLimits {
        max_width: 50,
        max_height: 150,
        ..ImageLimits::default()
    };
    let fitted = fit_image(&turned, Some(&limits)).unwrap();
    assert_eq!((fitted.original_size, fitted.size), ((100, 300), (50, 150)));
    let whole = fit_image(&turned, Some(&ImageLimits::default())).unwrap();
    assert!(
        matches!(whole.bytes, Cow::Borrowed(_)),
        "within limits nothing is touched"
    );
}

#[test]
fn a_picture_that_can_be_seen_through_is_put_on_white_for_jpeg() {
    let mut clear = RgbaImage::from_pixel(64, 64, Rgba([0, 0, 0, 0]));
    let DynamicImage::ImageRgb8(noisy) = noise(64, 32) else {
        panic!("not rgb")
    };
    for (x, y, pixel) in noisy.enumerate_pixels() {
        clear.put_pixel(x, y, Rgba([pixel[0], pixel[1], pixel[2], 255]));
    }
    let bytes = png(&clear.into());
    let limits = ImageLimits {
        max_base64_bytes: 6000,
        ..ImageLimits::default()
    };
    let fitted = fit_image(&bytes, Some(&limits)).unwrap();
    assert_eq!(fitted.kind, ImageKind::Jpeg);
    let shown = image::load_from_memory(&fitted.bytes).unwrap().to_rgb8();
    assert!(shown.get_pixel(fitted.size.0 / 2, fitted.size.1 - 1)[0] > 240);
}

#[test]
fn bmp_and_animated_png_become_png() {
    let fitted = bmp(&noise(8, 8));
    let fitted = fit_image(&fitted, Some(&ImageLimits::default())).unwrap();
    assert_eq!(
        (fitted.kind, fitted.original_kind),
        (ImageKind::Png, ImageKind::Bmp)
    );
    assert!(fitted.hint().unwrap().contains("image/bmp to image/png"));
    let plain = png(&noise(8, 8));
    let mut animated = plain[..33].to_vec();
    let chunk = b"acTL\0\0\0\x01\0\0\0\0";
    animated.extend(8_u32.to_be_bytes());
    animated.extend(chunk);
    animated.extend(crc32(chunk).to_be_bytes());
    animated.extend(&plain[33..]);
    let fitted = fit_image(&animated, None).unwrap();
    assert!(!fitted.bytes.windows(4).any(|four| four == b"acTL"));
    assert_eq!(fitted.kind, ImageKind::Png);
}

#[test]
fn pictures_are_known_by_their_content() {
    for (format, kind) in [
        (ImageFormat::Png, ImageKind::Png),
        (ImageFormat::Jpeg, ImageKind::Jpeg),
        (ImageFormat::Gif, ImageKind::Gif),
        (ImageFormat::WebP, ImageKind::WebP),
        (ImageFormat::Bmp, ImageKind::Bmp),
    ] {
        let bytes = encoded(&noise(3, 3), format);
        assert_eq!(sniff_image(&bytes), Some(kind));
        assert!(fit_image(&bytes, Some(&ImageLimits::default())).is_ok());
    }
    let texts: [&[u8]; 6] = [
        b"",
        b"BM is how this text begins, and it goes on for a while yet",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\xff\xd8\xff\xf7 JPEG-LS",
        b"\x89PNG\r\n\x1a\n no header chunk",
        b"RIFF\0\0\0\0WAVE",
    ];
    for text in texts {
        assert_eq!(sniff_image(text), None);
    }
}
