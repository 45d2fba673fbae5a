use serde::Serialize;
use serde::ser::Error as _;

/// Writes a value as one line of a stream or session file, LF included.
///
/// What is kept to the letter may hold line ends between its tokens; there they become spaces. In
/// strings JSON has none, so no content changes.
///
/// Errors: a value that JSON cannot say.
pub fn to_json_line<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    let mut line = Vec::new();
    append_json_line(&mut line, value)?;
    // serde_json writes nothing but UTF-8.
    String::from_utf8(line).map_err(serde_json::Error::custom)
}

/// Appends a value as one line, as [`to_json_line`] writes it.
///
/// Errors: a value that JSON cannot say; what was there before stays as it was.
pub fn append_json_line<T: Serialize + ?Sized>(
    to: &mut Vec<u8>,
    value: &T,
) -> serde_json::Result<()> {
    let start = to.len();
    if let Err(error) = serde_json::to_writer(&mut *to, value) {
        to.truncate(start);
        return Err(error);
    }
    let line = to.get_mut(start..).unwrap_or_default();
    if memchr::memchr2(b'\n', b'\r', line).is_some() {
        for byte in line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
    }
    to.push(b'\n');
    Ok(())
}
