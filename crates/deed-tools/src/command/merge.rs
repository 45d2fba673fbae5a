/// More than any escape sequence in use, but for control strings, which are looked at to this
/// length.
const MAX_HELD_BYTES: usize = 64;
const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

/// Lets the bytes of one stream through but for a character or escape sequence at their end that
/// is not complete, so that bytes of another stream do not come between its parts.
#[derive(Debug, Default)]
pub(super) struct Held(Vec<u8>);

impl Held {
    /// Hands on what is complete, together with what was held.
    pub(super) fn pass(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8])) {
        if bytes.len() >= MAX_HELD_BYTES {
            self.flush(&mut take);
            let complete = bytes.len() - begun_at_end(bytes);
            let (complete, begun) = bytes.split_at_checked(complete).unwrap_or((bytes, &[]));
            take(complete);
            self.0.extend_from_slice(begun);
            return;
        }
        self.0.extend_from_slice(bytes);
        let complete = self.0.len() - begun_at_end(&self.0);
        if complete > 0 {
            take(self.0.get(..complete).unwrap_or_default());
            self.0.drain(..complete);
        }
    }

    /// Hands on what was held.
    pub(super) fn flush(&mut self, mut take: impl FnMut(&[u8])) {
        if !self.0.is_empty() {
            take(&self.0);
            self.0.clear();
        }
    }
}

/// Returns how many bytes at the end are the beginning of something.
fn begun_at_end(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(MAX_HELD_BYTES);
    let end = bytes.get(start..).unwrap_or_default();
    let sequence = begun_sequence(end);
    if sequence > 0 {
        sequence
    } else {
        begun_character(end)
    }
}

/// Source: ECMA-48 §5.4 (control sequences) and §5.6 (control strings); a line end ends them all.
fn begun_sequence(end: &[u8]) -> usize {
    let Some(at) = memchr::memrchr(ESC, end) else {
        return 0;
    };
    let held = end.len() - at;
    let is_begun = match end.get(at + 1..).unwrap_or_default() {
        [] => true,
        [b'[', rest @ ..] => rest.iter().all(|byte| (0x20..=0x3f).contains(byte)),
        [b']' | b'P' | b'X' | b'^' | b'_', rest @ ..] => {
            memchr::memchr2(BEL, b'\n', rest).is_none()
        }
        rest => rest.iter().all(|byte| (0x20..=0x2f).contains(byte)),
    };
    if is_begun { held } else { 0 }
}

fn begun_character(end: &[u8]) -> usize {
    let Some(back) = end
        .iter()
        .rev()
        .take(4)
        .position(|byte| byte & 0xc0 != 0x80)
    else {
        return 0;
    };
    let tail = end.get(end.len() - back - 1..).unwrap_or_default();
    match std::str::from_utf8(tail) {
        Err(error) if error.error_len().is_none() => tail.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(held: &mut Held, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        held.pass(bytes, |piece| out.extend_from_slice(piece));
        out
    }

    #[test]
    fn what_is_begun_waits_for_its_end() {
        let mut held = Held::default();
        assert_eq!(
            passed(&mut held, "aé".as_bytes().get(..2).unwrap_or_default()),
            b"a"
        );
        assert_eq!(passed(&mut held, &[0xa9]), "é".as_bytes());
        assert_eq!(passed(&mut held, b"x\x1b"), b"x");
        assert_eq!(passed(&mut held, b"[3"), b"");
        assert_eq!(passed(&mut held, b"1mhi"), b"\x1b[31mhi");
        assert_eq!(passed(&mut held, b"\x1b]0;title"), b"");
        assert_eq!(passed(&mut held, b"\x07after"), b"\x1b]0;title\x07after");
    }

    #[test]
    fn what_never_ends_is_not_held_for_long() {
        let mut held = Held::default();
        let mut out = passed(&mut held, b"\x1b]0;");
        out.extend(passed(&mut held, &[b'x'; 60]));
        out.extend(passed(&mut held, &[b'y'; 200]));
        assert_eq!(out.len(), 4 + 60 + 200);
        assert_eq!(passed(&mut held, &[0xff, 0x80, 0x80]), [0xff, 0x80, 0x80]);
    }
}
