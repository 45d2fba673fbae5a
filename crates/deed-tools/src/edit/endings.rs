use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};

use crate::diff::part;

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Lf,
    CrLf,
    Cr,
}

/// Tells how the line ends that holds `at`; for a last line without an end, the line before it.
pub(super) fn ending_at(file: &[u8], at: usize) -> Ending {
    let after = memchr(b'\n', part(file, at..file.len())).map(|end| at + end);
    match after.or_else(|| memrchr(b'\n', part(file, 0..at))) {
        Some(end) if part(file, 0..end).ends_with(b"\r") => Ending::CrLf,
        Some(_) => Ending::Lf,
        // The whole file has no LF: then a lone CR ends a line.
        None if file.contains(&b'\r') => Ending::Cr,
        None => Ending::Lf,
    }
}

/// Takes CRLF for LF.
pub(super) fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    }
}

/// Ends the lines of a text as given.
pub(super) fn with_ending(text: &str, ending: Ending) -> Vec<u8> {
    let text = to_lf(text);
    match ending {
        Ending::Lf => text.into_owned().into_bytes(),
        Ending::CrLf => text.replace('\n', "\r\n").into_bytes(),
        Ending::Cr => text.replace('\n', "\r").into_bytes(),
    }
}

/// A file in which every line ends with LF, and the way back.
///
/// CRLF stands as LF; a lone CR stands as LF only in a file without any LF.
pub(super) struct LfView {
    pub(super) text: Vec<u8>,
    /// Where in `text` an LF stands whose CR was left out, ascending.
    shortened: Vec<usize>,
}

impl LfView {
    pub(super) fn of(file: &[u8]) -> Self {
        let mut shortened = Vec::new();
        if memchr(b'\n', file).is_none() {
            let lf = |byte: &u8| if *byte == b'\r' { b'\n' } else { *byte };
            return Self {
                text: file.iter().map(lf).collect(),
                shortened,
            };
        }
        let mut text = Vec::with_capacity(file.len());
        let mut copied = 0;
        for at in memchr_iter(b'\r', file) {
            if file.get(at + 1) == Some(&b'\n') {
                text.extend_from_slice(part(file, copied..at));
                shortened.push(text.len());
                copied = at + 1;
            }
        }
        text.extend_from_slice(part(file, copied..file.len()));
        Self { text, shortened }
    }

    /// Returns the place in the file: before the CR of a CRLF, or behind the whole of it.
    pub(super) fn in_file(&self, at: usize) -> usize {
        at + self.shortened.partition_point(|lf| *lf < at)
    }
}
