//! Tools as each interface declares them.

mod builtin;
mod hostile;
mod names;
mod openapi;
mod plain;
mod strict;

use serde_json::Value;

/// Prints JSON on a few lines: small values stay on one.
fn pretty(value: &Value) -> String {
    let mut out = String::new();
    print(value, 0, &mut out);
    out
}

fn print(value: &Value, depth: usize, out: &mut String) {
    const MAX_LINE: usize = 88;
    let flat = value.to_string();
    let indent = "  ".repeat(depth + 1);
    match value {
        Value::Object(members) if flat.len() + 2 * depth > MAX_LINE => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                out.push_str(&format!("{comma}\n{indent}{key:?}: "));
                print(value, depth + 1, out);
            }
            out.push_str(&format!("\n{}}}", "  ".repeat(depth)));
        }
        Value::Array(items) if flat.len() + 2 * depth > MAX_LINE => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                out.push_str(&format!("{comma}\n{indent}"));
                print(item, depth + 1, out);
            }
            out.push_str(&format!("\n{}]", "  ".repeat(depth)));
        }
        _ => out.push_str(&flat),
    }
}
