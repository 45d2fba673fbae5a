use super::{Class, Language, LexState, Mode, Span, add};

/// Reads one line of a unified diff: the line alone says what it is.
pub(super) fn diff(line: &str) -> Vec<Span> {
    let heads = [
        "+++",
        "---",
        "diff ",
        "index ",
        "new file",
        "deleted file",
        "rename ",
    ];
    let class = if heads.iter().any(|head| line.starts_with(head)) {
        Class::Heading
    } else {
        match line.as_bytes().first() {
            Some(b'+' | b'>') => Class::Added,
            Some(b'-' | b'<') => Class::Removed,
            Some(b'@') => Class::Keyword,
            Some(b'\\') => Class::Comment,
            _ => return Vec::new(),
        }
    };
    let mut spans = Vec::new();
    add(&mut spans, class, 0..line.len());
    spans
}

/// Reads one line of Markdown; fenced code is read in its own language.
pub(super) fn markdown(line: &str, mode: &mut Mode) -> Vec<Span> {
    let mut spans = Vec::new();
    match std::mem::take(mode) {
        Mode::Fence {
            mark,
            length,
            inner,
        } => {
            *mode = fenced(line, (mark, length, inner), &mut spans);
        }
        _ => {
            if let Some(opened) = fence_start(line) {
                add(&mut spans, Class::Punctuation, 0..line.len());
                *mode = opened;
            } else {
                line_of_prose(line, &mut spans);
            }
        }
    }
    spans
}

type Inner = Option<(&'static Language, Box<LexState>)>;

fn fence_run(text: &str) -> Option<(u8, usize)> {
    let mark = *text
        .as_bytes()
        .first()
        .filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = text.bytes().take_while(|&byte| byte == mark).count();
    (length >= 3).then_some((mark, length))
}

fn fence_start(line: &str) -> Option<Mode> {
    let text = line.trim_start();
    let (mark, length) = fence_run(text)?;
    let info = text.get(length..)?.trim();
    if mark == b'`' && info.contains('`') {
        return None;
    }
    let name = info.split([' ', ',', '{', ':']).next().unwrap_or_default();
    // Markdown inside Markdown would let the state grow with the text.
    let language = Language::named(name).filter(|language| language.name() != "markdown");
    Some(Mode::Fence {
        mark,
        length,
        inner: language.map(|row| (row, Box::default())),
    })
}

fn fenced(line: &str, (mark, length, inner): (u8, usize, Inner), spans: &mut Vec<Span>) -> Mode {
    let text = line.trim();
    if fence_run(text)
        .is_some_and(|(found, run)| found == mark && run >= length && run == text.len())
    {
        add(spans, Class::Punctuation, 0..line.len());
        return Mode::Open;
    }
    let inner = inner.map(|(language, mut state)| {
        spans.extend(language.highlight(line, &mut state));
        (language, state)
    });
    Mode::Fence {
        mark,
        length,
        inner,
    }
}

fn line_of_prose(line: &str, spans: &mut Vec<Span>) {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let hashes = text.bytes().take_while(|&byte| byte == b'#').count();
    let after_hashes = text.as_bytes().get(hashes);
    if (1..=6).contains(&hashes) && after_hashes.is_none_or(|&byte| byte == b' ') {
        return add(spans, Class::Heading, indent..line.len());
    }
    if text.starts_with('>') {
        return add(spans, Class::Comment, indent..line.len());
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let bullet = match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => digits + 1,
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        _ => 0,
    };
    let mut at = indent;
    if bullet > 0 && text.as_bytes().get(bullet) == Some(&b' ') {
        add(spans, Class::Punctuation, indent..indent + bullet);
        at += bullet;
    }
    inline(line, at, spans);
}

/// Takes code in backticks, strong text and the targets of links.
fn inline(line: &str, mut at: usize, spans: &mut Vec<Span>) {
    // What was looked for once in vain is not looked for again: that keeps the time linear.
    let marks = [
        ("`", "`", Class::String),
        ("**", "**", Class::Heading),
        ("](", ")", Class::Name),
    ];
    let mut possible = [true; 3];
    while let Some(rest) = line.get(at..) {
        let Some(skip) = rest.find(['`', '*', ']']) else {
            return;
        };
        at += skip;
        let rest = line.get(at..).unwrap_or_default();
        let mut step = 1;
        for ((open, close, class), possible) in marks.iter().zip(&mut possible) {
            if !*possible || !rest.starts_with(open) {
                continue;
            }
            let inside = rest.get(open.len()..).unwrap_or_default();
            match inside.find(close) {
                Some(0) => step = open.len(),
                Some(length) if *class == Class::Name => {
                    add(spans, *class, at + open.len()..at + open.len() + length);
                    step = open.len() + length;
                }
                Some(length) => {
                    step = open.len() + length + close.len();
                    add(spans, *class, at..at + step);
                }
                None => *possible = false,
            }
            break;
        }
        at += step;
    }
}
