/// Sorts names by how near they are to a word and returns the first few that are near at all.
pub(super) fn nearest(word: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    const MAX_NAMES: usize = 5;
    let word = word.to_lowercase();
    let mut ranked: Vec<(usize, String)> = names
        .into_iter()
        .filter_map(|name| Some((distance(&word, &name.to_lowercase())?, name)))
        .collect();
    ranked.sort();
    ranked.truncate(MAX_NAMES);
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// Measures how far a word is from a name, or from the part of it behind the provider; `None` if the
/// two have little in common.
fn distance(word: &str, name: &str) -> Option<usize> {
    let own = name.split_once('/').map_or(name, |(_, own)| own);
    let edits = edits(word, name).min(edits(word, own));
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric());
        parts
            .filter(|part| part.chars().any(char::is_alphabetic) && part.len() > 1)
            .map(str::to_owned)
            .collect()
    };
    let (asked, has) = (parts(word), parts(name));
    let shared = asked.iter().filter(|part| has.contains(part)).count();
    let is_near = shared > 0 || edits <= word.chars().count() / 3;
    // A shared word counts more than the letters that differ.
    const SHARED: usize = 100;
    is_near.then(|| edits + SHARED * (asked.len() - shared.min(asked.len())))
}

/// Counts the letters to put in, take out or change between two words.
fn edits(a: &str, b: &str) -> usize {
    const MAX_CHARS: usize = 100;
    let b: Vec<char> = b.chars().take(MAX_CHARS).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, letter) in a.chars().take(MAX_CHARS).enumerate() {
        let mut corner = at;
        let mut left = at + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (other, above) in b.iter().zip(row.iter_mut().skip(1)) {
            let changed = corner + usize::from(letter != *other);
            corner = *above;
            left = changed.min(corner + 1).min(left + 1);
            *above = left;
        }
    }
    row.last().copied().unwrap_or(0)
}
