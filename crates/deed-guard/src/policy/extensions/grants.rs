use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What an extension may do outside of its engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExtensionGrants {
    /// The file system.
    pub fs: FileGrants,
    /// Programs, by name or path.
    pub exec: Extent,
    /// Hosts, by name; `*.` in front means every host below.
    pub net: Extent,
    /// Variables of the environment; `*` stands for any run of characters.
    pub env: Extent,
}

/// What an extension may do in the file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileGrants {
    /// Files and folders, with all below, that it may read.
    pub read: Extent,
    /// Files and folders, with all below, that it may write.
    pub write: Extent,
}

/// How much of a kind is granted.
///
/// Shape: `true`, `false`, or a list of patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// None of it.
    #[default]
    Nothing,
    /// What one of these patterns means.
    These(Vec<String>),
    /// All of it.
    Everything,
}

impl ExtensionGrants {
    /// Grants all that the program itself may.
    pub fn everything() -> Self {
        Self {
            fs: FileGrants {
                read: Extent::Everything,
                write: Extent::Everything,
            },
            exec: Extent::Everything,
            net: Extent::Everything,
            env: Extent::Everything,
        }
    }

    /// Returns the kinds in the words that people are asked with, and how much of each is granted.
    pub fn kinds(&self) -> [(&'static str, &Extent); 5] {
        [
            ("read files", &self.fs.read),
            ("write files", &self.fs.write),
            ("run programs", &self.exec),
            ("use the network", &self.net),
            ("know variables of the environment", &self.env),
        ]
    }

    /// Says in words what is granted.
    pub fn in_words(&self) -> String {
        let kinds = self.kinds().into_iter().filter_map(|(kind, extent)| {
            Some(match extent {
                Extent::Nothing => return None,
                Extent::Everything => kind.to_owned(),
                Extent::These(patterns) if patterns.is_empty() => return None,
                Extent::These(patterns) => format!("{kind} ({})", patterns.join(", ")),
            })
        });
        let kinds: Vec<_> = kinds.collect();
        match kinds.is_empty() {
            true => "do nothing outside of the session".to_owned(),
            false => kinds.join(", "),
        }
    }
}

impl Extent {
    /// Adds what else is granted.
    pub fn add(&mut self, pattern: impl Into<String>) {
        match self {
            Self::Everything => {}
            Self::Nothing => *self = Self::These(vec![pattern.into()]),
            Self::These(patterns) => {
                let pattern = pattern.into();
                if !patterns.contains(&pattern) {
                    patterns.push(pattern);
                }
            }
        }
    }
}

impl Serialize for Extent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => serializer.serialize_bool(false),
            Self::Everything => serializer.serialize_bool(true),
            Self::These(patterns) => patterns.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Extent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "true, false or a list of texts")]
        enum Written {
            Switch(bool),
            Patterns(Vec<String>),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Switch(true) => Self::Everything,
            Written::Switch(false) => Self::Nothing,
            Written::Patterns(patterns) => Self::These(patterns),
        })
    }
}
