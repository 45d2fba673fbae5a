/// Which generation of Claude a model is, as far as its id says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32);

/// From which on models decide by themselves how long to think, by the effort that is asked for.
pub(super) const ADAPTIVE: Version = Version(4, 6);
/// From which on a model may be asked for more than high effort and less than the most.
pub(super) const KNOWS_XHIGH: Version = Version(4, 7);
/// From which on a model thinks unless it is told not to.
pub(super) const THINKS_UNASKED: Version = Version(5, 0);
/// From which on most models cannot be told not to think, and take a thought back only behind the very
/// words that it came after.
pub(super) const BOUND: Version = Version(5, 1);
/// From which on tools may be strict.
pub(super) const STRICT: Version = Version(4, 5);

impl Version {
    /// Reads it off an id such as `claude-opus-4-6`, `claude-3-7-sonnet-20250219` or
    /// `eu.anthropic.claude-sonnet-4.5`; `None` if it is no Claude.
    pub(super) fn of(id: &str) -> Option<Self> {
        // A date is no part of the version.
        const MAX_DIGITS: usize = 2;
        let (_, words) = id.split_once("claude-")?;
        let mut numbers = words
            .split(['-', '.', '@', ':'])
            .skip_while(|word| word.parse::<u32>().is_err())
            .map_while(|word| {
                let is_short = word.len() <= MAX_DIGITS;
                word.parse().ok().filter(|_| is_short)
            });
        let major = numbers.next()?;
        Some(Self(major, numbers.next().unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn the_generation_is_read_off_the_id() {
        let rows = [
            ("claude-opus-4-6", Some(Version(4, 6))),
            ("claude-opus-4-20250514", Some(Version(4, 0))),
            ("claude-sonnet-4-5-20250929", Some(Version(4, 5))),
            ("claude-3-7-sonnet-20250219", Some(Version(3, 7))),
            ("claude-fable-5", Some(Version(5, 0))),
            ("anthropic/claude-opus-4.8", Some(Version(4, 8))),
            (
                "eu.anthropic.claude-haiku-4-5-20251001-v1:0",
                Some(Version(4, 5)),
            ),
            ("claude-latest", None),
            ("kimi-k2", None),
        ];
        for (id, version) in rows {
            assert_eq!(Version::of(id), version, "{id}");
        }
    }
}
