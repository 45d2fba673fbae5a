use serde::Serialize;

/// Writes a value as one line of a stream or session file, LF included.
///
/// What is kept to the letter may hold line ends between its tokens; there they become spaces. In
/// strings JSON has none, so no content changes.
///
/// Errors: a value that JSON cannot say.
pub fn to_json_line<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    let mut line = serde_json::to_string(value)?;
    // One search for each: a search for two characters at once looks at every character.
    if line.contains('\n') || line.contains('\r') {
        line = line.replace(['\n', '\r'], " ");
    }
    line.push('\n');
    Ok(line)
}
