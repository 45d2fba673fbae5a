//! The `deed` program.
fn main() {}
