//! Measures the lexer on a file, or on a part repeated to one line: `lexer_speed LANGUAGE FILE` or
//! `lexer_speed LANGUAGE --repeat PART`.
#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "an example to measure with"
)]

use std::error::Error;
use std::time::Instant;

use deed_cards::{Language, LexState};

const MEASURED_BYTES: usize = 20_000_000;
const HOSTILE_BYTES: usize = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let language = words
        .first()
        .and_then(|name| Language::named(name))
        .ok_or("no such language")?;
    let text = match (words.get(1).map(String::as_str), words.get(2)) {
        (Some("--repeat"), Some(part)) => part.repeat(HOSTILE_BYTES / part.len().max(1)),
        (Some(path), _) => {
            let text = std::fs::read_to_string(path)?;
            text.repeat(MEASURED_BYTES / text.len().max(1) + 1)
        }
        _ => return Err("name a file, or --repeat and a part".into()),
    };
    let mut state = LexState::default();
    let started = Instant::now();
    let spans: usize = text
        .lines()
        .map(|line| language.highlight(line, &mut state).len())
        .sum();
    let seconds = started.elapsed().as_secs_f64();
    let megabytes = text.len() as f64 / 1e6;
    println!(
        "{megabytes:.1} MB, {spans} spans, {:.0} MB/s",
        megabytes / seconds
    );
    Ok(())
}
