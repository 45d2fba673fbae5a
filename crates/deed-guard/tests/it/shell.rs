//! Reading commands, and rules for them.

mod always;
mod attacks;
mod bash;
mod deny;
mod pattern;
mod reading;

use deed_guard::shell::{CommandPattern, Denial, ShellReading, read_command};

fn rule(text: &str) -> CommandPattern {
    CommandPattern::parse(text).unwrap()
}

/// Whether the rules together allow a text, as a policy would put it.
fn is_allowed(rules: &[&str], text: &str) -> bool {
    let reading = read_command(text);
    let rules: Vec<_> = rules.iter().map(|text| rule(text)).collect();
    let is_covered = |segment| rules.iter().any(|rule| rule.allows(segment));
    reading.opaque.is_none() && reading.segments.iter().all(is_covered)
}

fn denial(rule_text: &str, text: &str) -> Denial {
    rule(rule_text).denies(&read_command(text))
}

/// The certain words of each segment.
fn argvs(reading: &ShellReading) -> Vec<Vec<&str>> {
    let segments = reading.segments.iter();
    segments
        .map(|segment| segment.argv.iter().map(String::as_str).collect())
        .collect()
}
