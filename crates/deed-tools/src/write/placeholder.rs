use deed_tooling::truncate_line;

const MAX_LINE_CHARS: usize = 100;

/// Words that, beside an ellipsis, say that something was left out.
const LEFT_OUT: [&str; 8] = [
    "unchanged",
    "remain",
    "rest of",
    "existing",
    "same as",
    "as before",
    "previous",
    "omitted",
];

/// A line that seems to stand for content that should stay.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Placeholder {
    pub(super) line_1based: usize,
    pub(super) text: String,
}

/// Finds the first line that seems to stand for content that should stay: a comment or nothing but
/// an ellipsis with words that say so. A line that the old content has as well means itself.
pub(super) fn find(new: &str, old: Option<&[u8]>) -> Option<Placeholder> {
    let is_old = |line: &str| {
        old.is_some_and(|old| memchr::memmem::find(old, line.trim().as_bytes()).is_some())
    };
    let (index, line) = new
        .lines()
        .enumerate()
        .find(|(_, line)| stands_for_more(line) && !is_old(line))?;
    let text = truncate_line(line.trim(), MAX_LINE_CHARS).into();
    Some(Placeholder {
        line_1based: index + 1,
        text,
    })
}

fn stands_for_more(line: &str) -> bool {
    let (body, is_comment) = without_comment_marks(line.trim());
    let has_ellipsis = body.contains("...") || body.contains('…');
    let begins_or_ends = ["...", "…"].iter().any(|dots| {
        let inner = body.trim_matches(|c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}'));
        inner.starts_with(dots) || inner.ends_with(dots)
    });
    let body = body.to_lowercase();
    let says_so = LEFT_OUT.iter().any(|words| body.contains(words));
    let says_all = is_comment && body.contains("unchanged") && body.contains("rest");
    says_all || (says_so && has_ellipsis && (is_comment || begins_or_ends))
}

fn without_comment_marks(line: &str) -> (&str, bool) {
    const STARTS: [&str; 9] = ["//", "/*", "<!--", "{/*", "#", "--", ";", "%", "*"];
    const ENDS: [&str; 3] = ["*/}", "*/", "-->"];
    let start = STARTS.iter().find_map(|start| line.strip_prefix(start));
    let body = start.unwrap_or(line);
    let end = ENDS.iter().find_map(|end| body.strip_suffix(end));
    (end.unwrap_or(body).trim(), start.is_some())
}
