//! A sed script may write files and run commands; the usual ones are known by their form.

/// Names what may be dangerous about the words of a `sed` command.
pub(super) fn hazards_of(words: &[String]) -> Vec<String> {
    let mut hazards = Vec::new();
    let mut has_script = false;
    for word in words {
        match word.as_str() {
            "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "--quiet" | "--silent" => {}
            option if option.starts_with('-') && option != "-" => {
                hazards.push(format!("sed {option}"));
            }
            script if !has_script => {
                has_script = true;
                if !script.split(';').all(|part| is_plain(part.trim())) {
                    hazards.push("sed script".to_owned());
                }
            }
            _ => {}
        }
    }
    hazards
}

/// Whether a command only prints, deletes, ends, or replaces without `e` and `w`.
fn is_plain(command: &str) -> bool {
    let verb = command.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$'));
    match verb.strip_prefix('s') {
        Some(replacement) => is_plain_replacement(replacement),
        None => matches!(verb, "p" | "d" | "q" | "="),
    }
}

fn is_plain_replacement(text: &str) -> bool {
    let Some(border) = text.chars().next().filter(char::is_ascii_punctuation) else {
        return false;
    };
    if border == '\\' || text.contains(['\\', '\n']) {
        return false;
    }
    let parts: Vec<&str> = text.split(border).collect();
    match parts.as_slice() {
        ["", _, _, flags] => flags
            .chars()
            .all(|c| c.is_ascii_digit() || "gpIi".contains(c)),
        _ => false,
    }
}
