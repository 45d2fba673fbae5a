use serde::Serialize;

/// Room for a line of usual length, so that most need not grow.
const LINE_BYTES: usize = 4 * 1024;

/// Writes a value as one line of a stream or session file, LF included.
///
/// What is kept to the letter may hold line ends between its tokens; there they become spaces. In
/// strings JSON has none, so no content changes.
///
/// Errors: a value that JSON cannot say.
pub fn to_json_line<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    let mut bytes = Vec::with_capacity(LINE_BYTES);
    serde_json::to_writer(&mut bytes, value)?;
    // serde_json writes nothing but UTF-8.
    let mut line = String::from_utf8(bytes).map_err(serde::ser::Error::custom)?;
    if memchr::memchr2(b'\n', b'\r', line.as_bytes()).is_some() {
        line = line.replace(['\n', '\r'], " ");
    }
    line.push('\n');
    Ok(line)
}
