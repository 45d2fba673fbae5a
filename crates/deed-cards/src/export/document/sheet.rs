/// Blocks of a document, set apart by empty lines.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    out: String,
    has_blocks: bool,
}

impl Sheet {
    /// Adds a block; nothing if it is empty.
    pub(super) fn block(&mut self, text: &str) {
        self.lines(text, "");
    }

    /// Adds a block in a quote of its own.
    pub(super) fn quote(&mut self, text: &str) {
        self.lines(text, "> ");
    }

    fn lines(&mut self, text: &str, lead: &str) {
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.has_blocks, true) {
            self.out.push('\n');
        }
        for line in text.split('\n') {
            let lead = if line.is_empty() {
                lead.trim_end()
            } else {
                lead
            };
            self.out.extend([lead, line, "\n"]);
        }
    }

    pub(super) fn written(&mut self) -> &mut String {
        &mut self.out
    }
}
