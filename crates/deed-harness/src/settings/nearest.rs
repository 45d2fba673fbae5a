/// Finds the name that somebody most likely meant; `None` if no name is near.
///
/// Capital letters make no difference, and neither do `-`, `_` and `.`.
pub fn nearest<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let plain_written = plain(written);
    let distances = names.into_iter().map(|name| {
        let distance = strsim::osa_distance(&plain_written, &plain(name));
        (distance, name)
    });
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    // A third of the letters may be wrong, but of two letters none.
    let length = plain_written.chars().count().max(name.chars().count());
    (distance <= length / 3).then_some(name)
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | '.'));
    letters.flat_map(char::to_lowercase).collect()
}
