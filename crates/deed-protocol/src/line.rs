use serde::Serialize;

/// Writes a value as one line of a stream or session file, LF included.
///
/// What is kept to the letter may hold line ends between its tokens; there they become spaces. In
/// strings JSON has none, so no content changes.
///
/// Errors: a value that JSON cannot say.
pub fn to_json_line<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    let mut line = serde_json::to_string(value)?;
    if memchr::memchr2(b'\n', b'\r', line.as_bytes()).is_some() {
        line = line.replace(['\n', '\r'], " ");
    }
    line.push('\n');
    Ok(line)
}
