/// Lays out a JSON text with two blanks a level, token by token, so that what the model wrote is
/// shown to the letter (a key twice, a number too large), and stops once `max_bytes` are full.
///
/// Shape: a text that was cut ends in a line that says how much is missing.
pub(crate) fn pretty(json: &str, max_bytes: usize) -> String {
    let mut out = Layout {
        text: String::new(),
        level: 0,
    };
    let mut rest = json.chars().peekable();
    let mut in_string = false;
    while let Some(c) = rest.next() {
        if out.text.len() > max_bytes {
            break;
        }
        match c {
            '\\' if in_string => {
                out.text.push(c);
                out.text.extend(rest.next());
            }
            '"' => {
                in_string = !in_string;
                out.text.push(c);
            }
            c if in_string => out.text.push(c),
            c if c.is_ascii_whitespace() => {}
            '{' | '[' => {
                out.text.push(c);
                while rest.next_if(char::is_ascii_whitespace).is_some() {}
                match rest.next_if(|c| matches!(c, '}' | ']')) {
                    Some(close) => out.text.push(close),
                    None => out.open(),
                }
            }
            '}' | ']' => out.close(c),
            ',' => {
                out.text.push(c);
                out.line();
            }
            ':' => out.text.push_str(": "),
            c => out.text.push(c),
        }
    }
    out.bounded(max_bytes, json.len())
}

struct Layout {
    text: String,
    level: usize,
}

impl Layout {
    fn open(&mut self) {
        self.level += 1;
        self.line();
    }

    fn close(&mut self, c: char) {
        self.level = self.level.saturating_sub(1);
        self.line();
        self.text.push(c);
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("  ", self.level));
    }

    fn bounded(mut self, max_bytes: usize, whole_bytes: usize) -> String {
        if self.text.len() > max_bytes {
            self.text.truncate(self.text.floor_char_boundary(max_bytes));
            self.text.push_str(&format!(
                "\n… (cut; the arguments have {whole_bytes} bytes)"
            ));
        }
        self.text
    }
}
