use std::fmt::Write as _;

/// Why no model was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// Nothing has this name.
    #[error("no model {pattern:?} is known{}; for one that is on no list write provider/id", beside(.near))]
    NoMatch {
        /// What was asked for.
        pattern: String,
        /// Names that are near, as `provider/id`.
        near: Vec<String>,
    },
    /// Several have this in their names.
    #[error("{pattern:?} may be any of {}; write more of the name", .candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        pattern: String,
        /// The models that it may be, as `provider/id`; the first few of many.
        candidates: Vec<String>,
    },
    /// No provider has this name.
    #[error("no provider {provider:?} is known{}; settings can add one under `providers`", beside(.near))]
    UnknownProvider {
        /// What was asked for.
        provider: String,
        /// Ids that are near.
        near: Vec<String>,
    },
    /// The settings name a provider, but not where it is.
    #[error("the provider {provider:?} has no address; set `providers.{provider}.baseUrl`")]
    NoAddress {
        /// The provider.
        provider: String,
    },
    /// No model was named, and the provider has none of its own.
    #[error("{provider:?} has no model of its own; name one, as `--model {provider}/ID`")]
    NoDefault {
        /// The provider.
        provider: String,
    },
    /// A quirk of a model cannot be read.
    #[error("the settings of {model} cannot be used: {why}")]
    BadQuirks {
        /// The model, as `provider/id`.
        model: String,
        /// What is wrong.
        why: String,
    },
}

/// Why settings of providers cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// There is no object of providers.
    #[error("expected an object of providers by id")]
    NotAnObject,
    /// What is said of one is wrong.
    #[error("the settings of the provider {provider:?} are wrong: {why}")]
    Provider {
        /// The provider.
        provider: String,
        /// What is wrong.
        why: String,
    },
}

fn beside(names: &[String]) -> String {
    let mut words = String::new();
    if !names.is_empty() {
        // Writing to a text does not fail.
        write!(words, " (near: {})", names.join(", ")).ok();
    }
    words
}
