//! Drives Pi's example extensions through real sessions and compares with a table.
//!
//! Usage: `pi-examples FOLDER TABLE [NAME]`: the folder that Pi's package has its examples in, the
//! table of what is expected, and the one row to show in full.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a program for developers: it ends where it cannot go on"
)]

mod models;
mod person;
mod play;
mod provider;
mod row;
mod steps;
mod watched;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use row::Row;

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), Some(table)) = (arguments.next(), arguments.next()) else {
        println!("usage: pi-examples FOLDER TABLE [NAME]");
        return ExitCode::from(2);
    };
    let only = arguments
        .next()
        .map(|name| name.to_string_lossy().into_owned());
    let folder = PathBuf::from(folder)
        .canonicalize()
        .expect("the folder of the examples");
    let rows = Row::read(Path::new(&table));
    let mut wrong = missing(&folder, &rows);
    let mut driven = 0;
    for row in rows
        .iter()
        .filter(|row| only.as_ref().is_none_or(|only| row.name == *only))
    {
        let log = play::play(&folder, row).await;
        let faults = row.faults(&log);
        driven += usize::from(row.is_driven());
        let state = if faults.is_empty() { "ok" } else { "WRONG" };
        println!("{:4} {:28} {:7} {state}", row.tier, row.name, row.what());
        if only.is_some() {
            println!("{}", log.join("\n"));
        }
        for fault in &faults {
            println!("       {fault}");
        }
        if !faults.is_empty() && only.is_none() {
            let lines = log
                .iter()
                .map(|line| line.lines().next().unwrap_or_default());
            let lines: Vec<&str> = lines.collect();
            println!("       it said: {}", lines.join("\n                "));
        }
        wrong += usize::from(!faults.is_empty());
    }
    println!(
        "{} examples, {driven} driven, {wrong} not as expected",
        rows.len()
    );
    if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Counts examples of the package that the table does not have.
fn missing(folder: &Path, rows: &[Row]) -> usize {
    let entries = std::fs::read_dir(folder).expect("the folder of the examples");
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let names = names.filter(|name| name != "README.md");
    let missing: Vec<String> = names
        .map(|name| name.trim_end_matches(".ts").to_owned())
        .filter(|name| !rows.iter().any(|row| row.name == *name))
        .collect();
    for name in &missing {
        println!("     {name:28} is not in the table");
    }
    missing.len()
}
