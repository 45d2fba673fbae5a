use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ignore::overrides::{Override, OverrideBuilder};

use crate::EnvError;
use crate::search::{SearchRequest, WalkRequest};

/// How large a compiled pattern may be, and what it may keep in memory while it runs.
const PATTERN_MAX_BYTES: usize = 8 * 1024 * 1024;
const CACHE_MAX_BYTES: usize = 32 * 1024 * 1024;

/// Compiles what is searched for.
pub(crate) fn content_matcher(request: &SearchRequest) -> Result<RegexMatcher, EnvError> {
    let pattern = &request.pattern;
    refuse_nul("pattern", pattern)?;
    if !request.literal {
        check_syntax(pattern)?;
    }
    RegexMatcherBuilder::new()
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .case_insensitive(request.ignore_case)
        .fixed_strings(request.literal)
        .size_limit(PATTERN_MAX_BYTES)
        .dfa_size_limit(CACHE_MAX_BYTES)
        .build(pattern)
        .map_err(|source| bad_pattern(format!("cannot search for {pattern:?}: {source}")))
}

/// Compiles which files are searched, relative to `root`; no glob lets everything through.
pub(crate) fn file_filter(glob: Option<&str>, root: &Path) -> Result<Override, EnvError> {
    let Some(glob) = glob.filter(|glob| !glob.is_empty()) else {
        return Ok(Override::empty());
    };
    refuse_nul("glob", glob)?;
    let (negation, glob) = glob
        .strip_prefix('!')
        .map_or(("", glob), |rest| ("!", rest));
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    // A list of globs would take this for a comment; here there is one glob and no list.
    let escape = if glob.starts_with('#') { "\\" } else { "" };
    let bad = |source| bad_pattern(format!("bad glob {glob:?}: {source}"));
    let mut builder = OverrideBuilder::new(root);
    builder
        .add(&format!("{negation}{escape}{glob}"))
        .map_err(bad)?;
    builder.build().map_err(bad)
}

/// Which entries a walk keeps.
#[derive(Debug)]
pub(crate) struct EntryPattern {
    matcher: GlobMatcher,
    target: Target,
    only_folders: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    BaseName,
    RelativePath,
    AbsolutePath,
}

impl EntryPattern {
    /// Compiles a pattern. One without upper-case letters matches both cases; one that ends in `/`
    /// matches folders only.
    pub(crate) fn new(request: &WalkRequest) -> Result<Self, EnvError> {
        let given = request.pattern.as_str();
        refuse_nul("pattern", given)?;
        let pattern = given.strip_prefix("./").unwrap_or(given);
        let (pattern, only_folders) = match pattern.strip_suffix('/') {
            Some(pattern) if !pattern.is_empty() => (pattern, true),
            _ => (pattern, false),
        };
        if pattern.is_empty() {
            return Err(bad_pattern(
                "the pattern is empty; use * to find everything".into(),
            ));
        }
        let target = match pattern {
            _ if pattern.starts_with('/') => Target::AbsolutePath,
            _ if pattern.contains('/') => Target::RelativePath,
            _ => Target::BaseName,
        };
        let matcher = GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .case_insensitive(!pattern.chars().any(char::is_uppercase))
            .build()
            .map_err(|source| bad_pattern(format!("bad glob {given:?}: {}", source.kind())))?
            .compile_matcher();
        Ok(Self {
            matcher,
            target,
            only_folders,
        })
    }

    /// Says whether an entry, given by its path relative to `root`, is wanted.
    pub(crate) fn matches(&self, root: &Path, relative: &Path, is_folder: bool) -> bool {
        if self.only_folders && !is_folder {
            return false;
        }
        match self.target {
            Target::BaseName => self.matcher.is_match(base_name(relative)),
            Target::RelativePath => self.matcher.is_match(relative),
            Target::AbsolutePath => self.matcher.is_match(root.join(relative)),
        }
    }
}

/// Returns the last name of a path that is made of plain names only, as the paths of a walk are.
fn base_name(relative: &Path) -> &OsStr {
    let bytes = relative.as_os_str().as_bytes();
    let name = bytes.rsplit(|byte| *byte == b'/').next();
    OsStr::from_bytes(name.unwrap_or(bytes))
}

fn check_syntax(pattern: &str) -> Result<(), EnvError> {
    let parsed = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .build()
        .parse(pattern);
    let (what, offset) = match parsed {
        Ok(_) => return Ok(()),
        Err(regex_syntax::Error::Parse(error)) => {
            (error.kind().to_string(), error.span().start.offset)
        }
        Err(regex_syntax::Error::Translate(error)) => {
            (error.kind().to_string(), error.span().start.offset)
        }
        Err(error) => (error.to_string(), 0),
    };
    let character = pattern
        .get(..offset)
        .map_or(0, |before| before.chars().count())
        + 1;
    Err(bad_pattern(format!(
        "bad regular expression {pattern:?}, at character {character}: {what}; \
         to search for this text as it is, set literal to true"
    )))
}

fn refuse_nul(what: &str, text: &str) -> Result<(), EnvError> {
    if text.contains('\0') {
        return Err(bad_pattern(format!(
            "the {what} contains a NUL character; remove it"
        )));
    }
    Ok(())
}

fn bad_pattern(message: String) -> EnvError {
    EnvError::Pattern { message }
}
