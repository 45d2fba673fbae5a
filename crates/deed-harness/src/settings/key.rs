use serde_json::Value;

/// A setting: all that is known of it.
#[derive(Clone, Copy, Debug)]
pub struct SettingKey {
    /// The names from the outermost object on, with dots between them.
    pub path: &'static str,
    /// What it belongs to.
    pub group: SettingGroup,
    /// What its value is.
    pub kind: SettingKind,
    /// What holds where no file says anything.
    pub default: SettingDefault,
    /// Whose files count.
    pub who: WhoMaySet,
    /// What it does: one line.
    pub doc: &'static str,
    /// Whether nothing in this version goes by it.
    pub is_unused: bool,
    /// Names that other programs have for it, to help whoever writes one of them.
    pub elsewhere: &'static [&'static str],
}

/// What settings belong to, in the order of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingGroup {
    /// Which model is asked.
    Model,
    /// What a prompt may set off.
    Run,
    /// What tools do.
    Tools,
    /// Where things are.
    Files,
    /// How servers are reached.
    Network,
    /// How a terminal is used.
    Terminal,
}

impl SettingGroup {
    /// All groups.
    pub const ALL: [Self; 6] = [
        Self::Model,
        Self::Run,
        Self::Tools,
        Self::Files,
        Self::Network,
        Self::Terminal,
    ];

    /// Returns its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Model => "Model",
            Self::Run => "Runs",
            Self::Tools => "Tools",
            Self::Files => "Files and trust",
            Self::Network => "Network",
            Self::Terminal => "Terminal",
        }
    }
}

/// What the value of a setting is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// `true` or `false`.
    Flag,
    /// Any text but an empty one.
    Text,
    /// A path; a relative one starts at the folder of the file, `~/` at the home folder.
    Path,
    /// A program: a path, or a name to look for.
    Program,
    /// A whole number.
    Count {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// A number above zero.
    Amount,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Names of tools, with `+` or `-` in front to change what is there.
    ToolNames,
    /// Paths; those of both files count, the project's first.
    Paths,
    /// Texts by name.
    TextByName,
    /// What is said of providers, by name.
    Providers,
    /// Some whole numbers by name, each name with all or some of these members.
    CountsByName(&'static [&'static str]),
}

/// What holds where no file says anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingDefault {
    /// Nothing.
    Unset,
    /// A flag.
    Flag(bool),
    /// A number.
    Count(u64),
    /// A word.
    Word(&'static str),
    /// A list of texts.
    Texts(&'static [&'static str]),
}

impl SettingDefault {
    /// Returns it as JSON; `None` for nothing.
    pub fn to_json(self) -> Option<Value> {
        match self {
            Self::Unset => None,
            Self::Flag(flag) => Some(flag.into()),
            Self::Count(count) => Some(count.into()),
            Self::Word(word) => Some(word.into()),
            Self::Texts(texts) => Some(texts.into()),
        }
    }
}

/// Whose files count for a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhoMaySet {
    /// The user's and the project's; the project's wins.
    Anyone,
    /// The user's only.
    User {
        /// Why a project must not, as the end of a sentence.
        because: &'static str,
    },
    /// The user's and the project's; the lower number wins.
    ProjectMayLower,
}

impl SettingKey {
    /// Returns the names of its path.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &'static str> {
        self.path.split('.')
    }

    /// Says what it does, or that it does nothing yet.
    pub fn about(&self) -> String {
        match self.is_unused {
            true => format!("Not used yet. {}", self.doc),
            false => self.doc.to_owned(),
        }
    }

    /// Tells whether it lies in the object of this path.
    pub(crate) fn is_below(&self, path: &str) -> bool {
        let rest = self.path.strip_prefix(path);
        rest.is_some_and(|rest| rest.starts_with('.'))
    }
}
