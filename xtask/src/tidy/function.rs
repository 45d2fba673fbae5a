//! Functions and their lengths, by a brace scan.

use super::source::{Source, closing_brace, find_words};

/// One function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) line_count: usize,
    pub(crate) is_test: bool,
}

/// The functions of a file in order, nested ones included.
pub(crate) fn functions(source: &Source) -> Vec<Function> {
    find_words(&source.code, "fn")
        .filter_map(|start| function_at(source, start))
        .collect()
}

fn function_at(source: &Source, start: usize) -> Option<Function> {
    let rest = source.code.get(start + 2..)?;
    let name: String = rest
        .trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    if name.is_empty() {
        return None;
    }
    let open = body_start(rest)? + start + 2;
    let line = source.line_1based(start);
    let last = source.line_1based(closing_brace(&source.code, open).saturating_sub(1));
    Some(Function {
        name,
        line,
        line_count: last + 1 - line,
        is_test: source.is_test(start),
    })
}

/// Where the body opens; nothing for a declaration. Brackets are skipped: `[u8; 4]` has a semicolon of its own.
fn body_start(signature: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in signature.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'{' if depth == 0 => return Some(at),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_measured_past_braces_in_literals() {
        let text = "trait T { fn no_body(&self) -> [u8; 4]; }\n\
                    fn one() { let x = \"}\"; let y = '}'; }\n\
                    pub async fn two<'a>(f: fn(u8) -> u8) -> Vec<&'a str>\nwhere u8: Copy {\n  fn inner() {}\n  // }\n}\n";
        let source = Source::new("crates/a/src/a.rs", "a", text.to_owned());
        let found: Vec<_> = functions(&source)
            .into_iter()
            .map(|f| (f.name, f.line, f.line_count))
            .collect();
        let want = [
            ("one".to_owned(), 2, 1),
            ("two".to_owned(), 3, 5),
            ("inner".to_owned(), 5, 1),
        ];
        assert_eq!(found, want);
    }
}
