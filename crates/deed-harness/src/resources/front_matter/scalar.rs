use super::FrontMatterFault;

/// The lines of a head, with their numbers.
pub(super) struct Lines<'a> {
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    first_1based: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str, first_1based: usize) -> Self {
        Self {
            rest: text.lines().enumerate().peekable(),
            first_1based,
        }
    }

    pub(super) fn next(&mut self) -> Option<(usize, &'a str)> {
        let (index, line) = self.rest.next()?;
        Some((self.first_1based + index, line))
    }

    /// Takes the next line if it stands further in than a key; a blank one counts as such.
    fn take_indented(&mut self) -> Option<&'a str> {
        let is_inside = |line: &str| line.trim().is_empty() || line.starts_with([' ', '\t']);
        self.rest
            .next_if(|(_, line)| is_inside(line))
            .map(|(_, line)| line)
    }

    /// Passes over what belongs to a key whose value stands on lines of its own.
    pub(super) fn take_nested(&mut self) -> bool {
        let mut found = false;
        let belongs = |line: &str| {
            let is_item = line == "-" || line.starts_with("- ");
            let closes = line.starts_with([']', '}']);
            is_item || closes || line.trim().is_empty() || line.starts_with([' ', '\t'])
        };
        while let Some((_, line)) = self.rest.next_if(|(_, line)| belongs(line)) {
            found |= !line.trim().is_empty();
        }
        found
    }
}

/// What becomes of the line breaks of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Keep,
    Join,
}

/// Reads a value without quotes, which may go on over lines that stand further in.
pub(super) fn plain(first: &str, lines: &mut Lines<'_>) -> String {
    let mut parts = vec![without_comment(first)];
    while let Some(line) = lines.take_indented() {
        parts.push(without_comment(line.trim()));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn without_comment(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    text.split_once(" #").map_or(text, |(text, _)| text.trim())
}

/// Reads the block after `|` or `>`.
///
/// Errors: something stands behind the sign that is no sign for the last line breaks.
pub(super) fn block(
    sign: &str,
    lines: &mut Lines<'_>,
    fold: Fold,
) -> Result<String, FrontMatterFault> {
    let sign = without_comment(sign);
    let keeps_end = match sign.get(1..).unwrap_or_default() {
        "" => Some(true),
        "-" => Some(false),
        "+" => Some(true),
        _ => None,
    };
    let keeps_end = keeps_end.ok_or(FrontMatterFault::NoField)?;
    let mut taken = Vec::new();
    while let Some(line) = lines.take_indented() {
        taken.push(line);
    }
    let margin = margin_of(&taken);
    let taken: Vec<&str> = taken
        .iter()
        .map(|line| without_margin(line, margin).trim_end())
        .collect();
    let mut text = match fold {
        Fold::Keep => taken.join("\n"),
        Fold::Join => joined(&taken),
    };
    text.truncate(text.trim_end().len());
    if keeps_end && !text.is_empty() {
        text.push('\n');
    }
    Ok(text)
}

/// Returns how far in the block stands: as far as its first line that is not blank.
fn margin_of(lines: &[&str]) -> usize {
    let first = lines.iter().find(|line| !line.trim().is_empty());
    first.map_or(0, |line| line.len() - line.trim_start().len())
}

fn without_margin(line: &str, margin: usize) -> &str {
    let blank = line.len() - line.trim_start().len();
    line.get(blank.min(margin)..).unwrap_or(line)
}

/// Joins lines to paragraphs; blank lines stay between them.
fn joined(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        if line.is_empty() {
            text.push('\n');
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text
}

/// Reads text between single quotes, in which two of them stand for one.
pub(super) fn single_quoted(text: &str) -> Result<String, FrontMatterFault> {
    let mut rest = text.chars().skip(1).peekable();
    let mut read = String::new();
    while let Some(c) = rest.next() {
        if c != '\'' {
            read.push(c);
        } else if rest.next_if_eq(&'\'').is_some() {
            read.push('\'');
        } else {
            return ended(read, rest);
        }
    }
    Err(FrontMatterFault::Quotes)
}

/// Reads text between double quotes, with the escapes of JSON.
pub(super) fn double_quoted(text: &str) -> Result<String, FrontMatterFault> {
    let mut rest = text.chars().skip(1);
    let mut read = String::new();
    while let Some(c) = rest.next() {
        match c {
            '"' => return ended(read, rest),
            '\\' => read.push(escaped(&mut rest)?),
            _ => read.push(c),
        }
    }
    Err(FrontMatterFault::Quotes)
}

fn escaped(rest: &mut impl Iterator<Item = char>) -> Result<char, FrontMatterFault> {
    let sign = rest.next().ok_or(FrontMatterFault::Quotes)?;
    Ok(match sign {
        '"' | '\\' | '/' | ' ' => sign,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'u' => {
            let digits: String = rest.take(4).collect();
            let code = u32::from_str_radix(&digits, 16).ok();
            let read = code.filter(|_| digits.len() == 4).and_then(char::from_u32);
            read.ok_or(FrontMatterFault::Escape('u'))?
        }
        other => return Err(FrontMatterFault::Escape(other)),
    })
}

fn ended(read: String, rest: impl Iterator<Item = char>) -> Result<String, FrontMatterFault> {
    let rest: String = rest.collect();
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(read)
    } else {
        Err(FrontMatterFault::Quotes)
    }
}
