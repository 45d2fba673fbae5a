use std::cell::RefCell;
use std::collections::HashMap;

use oxc_sourcemap::SourceMap;

/// What stands in front of the names of files that are not the author's.
const OWN_FILES: &str = "deed:";

/// The way from places in what the engine runs to those in the files of the author.
#[derive(Default)]
pub(crate) struct Places(RefCell<HashMap<String, SourceMap<'static>>>);

impl Places {
    pub(crate) fn add(&self, file: &str, map: SourceMap<'static>) {
        self.0.borrow_mut().insert(file.to_owned(), map);
    }

    /// Returns the frames of a stack that are in files of the author, innermost first.
    pub(crate) fn frames(&self, stack: &str) -> Vec<String> {
        stack.lines().filter_map(|line| self.frame(line)).collect()
    }

    /// Returns a stack as it would be if the engine had run the author's files.
    pub(crate) fn text(&self, stack: &str) -> String {
        let mut text = String::new();
        for line in stack.lines() {
            match line.trim_start().starts_with("at ") {
                true => {
                    if let Some(frame) = self.frame(line) {
                        text.push_str("    at ");
                        text.push_str(&frame);
                        text.push('\n');
                    }
                }
                false => {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Reads `at function (file:line:column)`.
    fn frame(&self, line: &str) -> Option<String> {
        let frame = line.trim().strip_prefix("at ")?;
        let (function, place) = match frame.strip_suffix(')') {
            Some(open) => open.rsplit_once(" (")?,
            None => ("", frame),
        };
        let mut parts = place.rsplitn(3, ':');
        let column: u32 = parts.next()?.parse().ok()?;
        let line: u32 = parts.next()?.parse().ok()?;
        let file = parts.next()?;
        if file.starts_with(OWN_FILES) {
            return None;
        }
        let (line, column) = self.original(file, line, column).unwrap_or((line, column));
        Some(match function {
            "" | "<anonymous>" => format!("{file}:{line}:{column}"),
            _ => format!("{function} ({file}:{line}:{column})"),
        })
    }

    fn original(&self, file: &str, line: u32, column: u32) -> Option<(u32, u32)> {
        let maps = self.0.borrow();
        let map = maps.get(file)?;
        let table = map.generate_lookup_table();
        let (line, column) = (line.checked_sub(1)?, column.saturating_sub(1));
        let token = map.lookup_token(&table, line, column)?;
        Some((token.get_src_line() + 1, token.get_src_col() + 1))
    }
}
