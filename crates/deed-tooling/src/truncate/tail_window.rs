use super::{TextLimits, TruncatedBy, Truncation, decode_for_model, truncate_tail};

/// Follows the output of a command: counts all of it and keeps only its end.
///
/// Memory stays within a few times the limit of bytes, whatever comes. Each byte is looked at once
/// and copied at most twice.
#[derive(Debug)]
pub struct TailWindow {
    limits: TextLimits,
    kept: Vec<u8>,
    total_bytes: u64,
    line_ends: u64,
    /// Where the last line that has an end or a byte begins.
    last_line_start: u64,
    /// Where the line after the last end begins.
    open_line_start: u64,
}

/// The end of a command's output as text, and which part of the whole it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownTail {
    /// What to show, decoded by [`decode_for_model`].
    pub text: String,
    /// The number of the first line in `text`; 1 if there is none.
    pub first_line_1based: u64,
    /// The number of the last line in `text`, which is the last line of all; 0 if there is none.
    pub last_line_1based: u64,
    /// How long the last line is in all.
    ///
    /// Units: bytes as the command wrote them, without the line end.
    pub last_line_bytes: u64,
    /// What was cut. The totals are in bytes as the command wrote them, what is kept in bytes of
    /// `text`.
    pub truncation: Truncation,
}

impl TailWindow {
    /// Begins with nothing.
    pub fn new(limits: TextLimits) -> Self {
        Self {
            limits,
            kept: Vec::new(),
            total_bytes: 0,
            line_ends: 0,
            last_line_start: 0,
            open_line_start: 0,
        }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        if ends > 0 {
            self.follow_line_starts(bytes);
        } else if !bytes.is_empty() {
            self.last_line_start = self.open_line_start;
        }
        self.line_ends += ends as u64;
        self.total_bytes += bytes.len() as u64;
        self.keep(bytes);
    }

    fn follow_line_starts(&mut self, bytes: &[u8]) {
        let Some(last) = memchr::memrchr(b'\n', bytes) else {
            return;
        };
        let before = self.open_line_start;
        self.open_line_start = self.total_bytes + last as u64 + 1;
        self.last_line_start = if last + 1 < bytes.len() {
            self.open_line_start
        } else {
            match bytes
                .get(..last)
                .and_then(|head| memchr::memrchr(b'\n', head))
            {
                Some(previous) => self.total_bytes + previous as u64 + 1,
                None => before,
            }
        };
    }

    fn keep(&mut self, bytes: &[u8]) {
        let least = self.least_kept();
        if bytes.len() >= least {
            self.kept.clear();
            self.kept
                .extend_from_slice(bytes.get(bytes.len() - least..).unwrap_or_default());
            return;
        }
        if self.kept.len() + bytes.len() > 2 * least {
            let surplus = (self.kept.len() + bytes.len()).saturating_sub(least);
            self.kept.drain(..surplus.min(self.kept.len()));
        }
        self.kept.extend_from_slice(bytes);
    }

    /// What decoding takes away must not leave less than there is room for, so more is kept than
    /// will be shown.
    fn least_kept(&self) -> usize {
        self.limits.max_bytes + self.limits.max_bytes / 4 + 64
    }

    /// Returns the number of bytes so far.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Returns the number of lines so far; a final line end begins no further line.
    pub fn total_lines(&self) -> u64 {
        self.line_ends + u64::from(self.open_line_start < self.total_bytes)
    }

    /// Tells whether all of the output is too much to show.
    pub fn is_over_limits(&self) -> bool {
        self.total_lines() > self.limits.max_lines as u64
            || self.total_bytes > self.limits.max_bytes as u64
    }

    /// Returns the end of what came so far, while more may come.
    pub fn peek(&self) -> ShownTail {
        self.shown(without_begun_character(&self.kept))
    }

    /// Returns the end of it all.
    pub fn finish(self) -> ShownTail {
        self.shown(&self.kept)
    }

    fn shown(&self, kept: &[u8]) -> ShownTail {
        let (window, begins_inside_line) = self.whole_lines(kept);
        let decoded = decode_for_model(window);
        // A last line without end that shows nothing, such as a colour reset, is no line.
        let total_lines = if decoded.is_empty() || decoded.ends_with('\n') {
            self.line_ends
        } else {
            self.total_lines()
        };
        let window_text = if begins_inside_line {
            without_cut_sequence(&decoded)
        } else {
            &decoded
        };
        let tail = truncate_tail(window_text, self.limits);
        let output = tail.truncation;
        let last_line_partial = output.last_line_partial || begins_inside_line;
        let truncated = last_line_partial || output.output_lines < total_lines;
        let by_lines = output.output_lines == output.max_lines && !last_line_partial;
        let by = if by_lines {
            TruncatedBy::Lines
        } else {
            TruncatedBy::Bytes
        };
        // Where only what was not kept is missing, the final line end is still there.
        let keeps_end = truncated && tail.text.len() == window_text.len();
        let text = if keeps_end {
            tail.text.strip_suffix('\n')
        } else {
            None
        };
        let text = text.unwrap_or(tail.text);
        ShownTail {
            first_line_1based: total_lines.saturating_sub(output.output_lines) + 1,
            last_line_1based: total_lines,
            last_line_bytes: self.last_line_bytes(),
            truncation: Truncation {
                truncated,
                truncated_by: truncated.then_some(by),
                output_lines: output.output_lines,
                output_bytes: text.len() as u64,
                last_line_partial,
                ..Truncation::of_whole(total_lines, self.total_bytes, self.limits)
            },
            text: text.to_owned(),
        }
    }

    /// Returns what of the kept bytes is whole lines, or the end of the last line if that is all,
    /// and whether it is the latter.
    fn whole_lines<'a>(&self, kept: &'a [u8]) -> (&'a [u8], bool) {
        let kept_start = self.total_bytes - self.kept.len() as u64;
        if kept_start == 0 {
            return (kept, false);
        }
        if kept_start > self.last_line_start {
            if let Some(state) = last_overwritten_state(kept) {
                return (state, false);
            }
            let character = kept
                .iter()
                .take(3)
                .take_while(|byte| **byte & 0xc0 == 0x80)
                .count();
            return (kept.get(character..).unwrap_or_default(), true);
        }
        // The line before the first end may have lost its beginning; later lines are whole.
        let first_end = memchr::memchr(b'\n', kept).map_or(0, |end| end + 1);
        (kept.get(first_end..).unwrap_or_default(), false)
    }

    fn last_line_bytes(&self) -> u64 {
        let is_ended = self.open_line_start == self.total_bytes;
        let end = self.total_bytes.saturating_sub(u64::from(is_ended));
        end.saturating_sub(self.last_line_start)
    }
}

/// Returns what follows the last carriage return inside the line, which is whole again.
fn last_overwritten_state(line: &[u8]) -> Option<&[u8]> {
    let body = line.strip_suffix(b"\n").unwrap_or(line);
    let end = body.iter().rposition(|byte| *byte != b'\r')?;
    let at = memchr::memrchr(b'\r', body.get(..end)?)?;
    line.get(at + 1..)
}

/// Drops a character at the end whose last bytes have not come yet.
fn without_begun_character(bytes: &[u8]) -> &[u8] {
    let begun = bytes
        .iter()
        .rev()
        .take(3)
        .position(|byte| byte & 0xc0 != 0x80);
    let Some((head, tail)) = begun.and_then(|back| bytes.split_at_checked(bytes.len() - back - 1))
    else {
        return bytes;
    };
    match std::str::from_utf8(tail) {
        Err(error) if error.error_len().is_none() => head,
        _ => bytes,
    }
}

/// Drops what may be the end of an escape sequence that lost its beginning; of a line that has lost
/// its beginning anyway, a few characters more.
fn without_cut_sequence(text: &str) -> &str {
    const MAX_SEQUENCE: usize = 20;
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || ";:?".contains(c));
    if rest.len() == text.len() || text.len() - rest.len() > MAX_SEQUENCE {
        return text;
    }
    rest.strip_prefix(|c: char| ('@'..='~').contains(&c))
        .unwrap_or(text)
}
