//! Walks the syntax tree of a text and takes down what is certain.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::{Redirect, Segment, ShellReading, decode, hazards, inner, inner::Bounds, tokens};

const NOT_UNDERSTOOD: &str = "the syntax is not understood";
/// Nested syntax deeper than this is not read.
const MAX_DEPTH: usize = 64;

/// Plain text of the greatest length needs a thousand reports of the parser. Counted, not timed, so
/// that every run ends alike.
const MAX_REPORTS: usize = 1200;
/// The parser takes seconds for ten thousands of operators that make no sense.
const MAX_OPERATORS: usize = 2000;

/// Reads a text, and the scripts inside it within the bounds that are left.
pub(super) fn read(text: &str, bounds: Bounds<'_>) -> ShellReading {
    if let Some(why) = decode::refusal(text) {
        return ShellReading::unread(text, why);
    }
    let Some(tree) = parse(text) else {
        return ShellReading::unread(text, NOT_UNDERSTOOD);
    };
    let root = tree.root_node();
    if root.has_error() {
        return ShellReading::unread(text, NOT_UNDERSTOOD);
    }
    let mut walk = Walk {
        text,
        bounds,
        segments: Vec::new(),
        opaque: None,
    };
    walk.margins(root);
    walk.visit(root, 0);
    if walk.segments.is_empty() {
        walk.unsure("there is no command in it");
    }
    ShellReading {
        segments: walk.segments,
        opaque: walk.opaque,
        words_of_text: tokens::words_of(text),
    }
}

fn parse(text: &str) -> Option<Tree> {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    }
    let is_operator = |byte: &u8| b"|&;<>()[]{}$`".contains(byte);
    if text.bytes().filter(is_operator).count() > MAX_OPERATORS {
        return None;
    }
    let mut reports = 0;
    let mut count = |state: &ParseState| {
        reports += 1;
        if state.has_error() || reports > MAX_REPORTS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let mut rest = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    PARSER.with_borrow_mut(|parser| {
        if parser.language().is_none() {
            parser
                .set_language(&tree_sitter_bash::LANGUAGE.into())
                .ok()?;
        }
        parser.reset();
        parser.parse_with_options(&mut rest, None, Some(options))
    })
}

struct Walk<'t> {
    text: &'t str,
    bounds: Bounds<'t>,
    segments: Vec<Segment>,
    opaque: Option<String>,
}

impl Walk<'_> {
    fn unsure(&mut self, why: impl Into<String>) {
        if self.opaque.is_none() {
            self.opaque = Some(why.into());
        }
    }

    fn visit(&mut self, node: Node<'_>, level: usize) {
        if level > MAX_DEPTH {
            return self.unsure("the syntax is nested too deeply");
        }
        match node.kind() {
            "program" | "list" | "pipeline" => self.sequence(node, level),
            "redirected_statement" => self.redirected(node, level),
            "command" => self.command(node, level),
            "comment" => self.comment(node),
            kind => {
                self.unsure(format!("it has a {}", kind.replace('_', " ")));
                self.descend(node, level);
            }
        }
    }

    /// Looks for commands below a node that is not understood itself.
    fn descend(&mut self, node: Node<'_>, level: usize) {
        for child in node.named_children(&mut node.walk()) {
            self.visit(child, level + 1);
        }
    }

    fn sequence(&mut self, node: Node<'_>, level: usize) {
        self.gaps(node, &[' ', '\t', '\n']);
        for child in node.children(&mut node.walk()) {
            if child.is_named() {
                self.visit(child, level + 1);
            } else if !matches!(child.kind(), "&&" | "||" | "|" | ";" | "\n") {
                self.unsure(format!("it has a `{}`", child.kind()));
            }
        }
    }

    /// A `#` begins a comment only where a word could begin.
    fn comment(&mut self, node: Node<'_>) {
        let before = self.text.get(..node.start_byte()).unwrap_or_default();
        if !before.is_empty() && !before.ends_with([' ', '\t', '\n', ';']) {
            self.unsure("it has a comment in a strange place");
        }
    }

    /// A redirection at the end of a list or pipeline belongs to the last command in it.
    fn redirected(&mut self, node: Node<'_>, level: usize) {
        self.gaps(node, &[' ', '\t']);
        let count_before = self.segments.len();
        let mut redirects = Vec::new();
        for child in node.children(&mut node.walk()) {
            match child.kind() {
                "file_redirect" => redirects.extend(self.redirect(child, level)),
                _ => self.visit(child, level + 1),
            }
        }
        if self.segments.len() == count_before {
            self.unsure("it has a redirection without a command");
            self.push(node, Vec::new(), false);
        }
        if let Some(last) = self.segments.last_mut() {
            last.redirects.extend(redirects);
        }
    }

    fn command(&mut self, node: Node<'_>, level: usize) {
        self.gaps(node, &[' ', '\t']);
        let (mut argv, mut redirects) = (Vec::new(), Vec::new());
        let (mut is_complete, mut is_certain) = (true, true);
        for child in node.children(&mut node.walk()) {
            let word = match child.kind() {
                "file_redirect" => {
                    redirects.extend(self.redirect(child, level));
                    continue;
                }
                "command_name" => child.child(0).filter(|_| child.child_count() == 1),
                _ => Some(child),
            };
            let Some(word) = word.and_then(|word| decode::word(word, self.text)) else {
                is_complete = false;
                is_certain &= matches!(child.kind(), "variable_assignment" | "herestring_redirect");
                self.unclear_word(child, level);
                continue;
            };
            if argv.is_empty() && word.is_bare && decode::is_keyword(&word.value) {
                is_complete = false;
                self.unsure(format!("`{}` is no name of a command", word.value));
            }
            if is_certain {
                argv.push(word.value);
            }
        }
        let at = self.push(node, argv, is_complete);
        if let Some(segment) = self.segments.get_mut(at) {
            segment.redirects.extend(redirects);
        }
    }

    fn unclear_word(&mut self, node: Node<'_>, level: usize) {
        let source = self.text.get(node.byte_range()).unwrap_or_default();
        self.unsure(match node.kind() {
            "variable_assignment" => format!("`{}` is an assignment", shortened(source)),
            _ => format!("it is not certain what `{}` means", shortened(source)),
        });
        self.descend(node, level);
    }

    fn push(&mut self, node: Node<'_>, argv: Vec<String>, complete: bool) -> usize {
        let started = inner::started_by(&argv, self.bounds);
        if let Some(why) = started.opaque {
            self.unsure(why);
        }
        let commands = std::iter::once(&argv).chain(&started.inner);
        let hazards: Vec<_> = commands
            .flat_map(|argv| hazards::hazards_of(argv))
            .collect();
        let spelled = if hazards.is_empty() {
            started.spelled
        } else {
            argv.len()
        };
        self.segments.push(Segment {
            inner: started.inner,
            wrapper: started.wrapper,
            hazards,
            redirects: started.redirects,
            text: self
                .text
                .get(node.byte_range())
                .unwrap_or_default()
                .to_owned(),
            spelled,
            starts_unknown: started.is_unknown,
            argv,
            complete,
        });
        self.segments.len() - 1
    }

    /// The grammar takes words behind the target for further targets; for bash they are arguments.
    fn redirect(&mut self, node: Node<'_>, level: usize) -> Option<Redirect> {
        let redirect = self.certain_redirect(node);
        if redirect.is_none() {
            self.unsure("it has a redirection that is not understood");
            self.descend(node, level);
        }
        redirect
    }

    fn certain_redirect(&self, node: Node<'_>) -> Option<Redirect> {
        let (mut operator, mut target) = (None, None);
        for child in node.children(&mut node.walk()) {
            let source = self.text.get(child.byte_range())?;
            if child.kind() == "file_descriptor" {
                source.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
            } else if !child.is_named() {
                operator = operator.xor(Some(source));
                operator?;
            } else {
                target = target.xor(Some(decode::word(child, self.text)?.value));
                target.as_ref()?;
            }
        }
        let (operator, target) = (operator?, target?);
        let is_number = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_digit());
        let (writes, copies) = match operator {
            ">" | ">>" | ">|" | "&>" | "&>>" => (true, false),
            "<" => (false, false),
            ">&" => (!is_number, is_number),
            "<&" if is_number => (false, true),
            _ => return None,
        };
        let harmless = copies || target == "/dev/null";
        Some(Redirect {
            target,
            writes,
            harmless,
        })
    }

    /// Whether nothing but blanks stands between the parts: what the grammar skips, bash may not.
    fn gaps(&mut self, node: Node<'_>, blanks: &[char]) {
        let mut end = node.start_byte();
        let mut are_blank = true;
        for child in node.children(&mut node.walk()) {
            are_blank &= self.is_blank(end, child.start_byte(), blanks);
            end = child.end_byte();
        }
        if !are_blank || !self.is_blank(end, node.end_byte(), blanks) {
            self.unsure("it has a line continuation or text that belongs to no word");
        }
    }

    fn margins(&mut self, root: Node<'_>) {
        let blanks = [' ', '\t', '\n'];
        if !self.is_blank(0, root.start_byte(), &blanks)
            || !self.is_blank(root.end_byte(), self.text.len(), &blanks)
        {
            self.unsure("it has text that belongs to no command");
        }
    }

    fn is_blank(&self, start: usize, end: usize, blanks: &[char]) -> bool {
        let gap = self.text.get(start..end);
        gap.is_some_and(|gap| gap.chars().all(|c| blanks.contains(&c)))
    }
}

fn shortened(source: &str) -> String {
    const MAX_CHARS: usize = 60;
    match source.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", source.get(..end).unwrap_or_default()),
        None => source.to_owned(),
    }
}
