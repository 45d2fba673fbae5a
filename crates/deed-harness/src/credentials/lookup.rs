use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_env::ExecutionEnv;
use deed_guard::redact::KnownSecret;
use deed_models::KeySource;
use tokio::sync::OnceCell;

use super::command;
use super::error::CommandFault;
use super::secret::Secret;
use super::{AuthError, AuthFile, KeyError, KeySpec};

/// A person may have to unlock what holds the key.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// Looks a variable up.
pub type VariableLookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Where keys are looked for.
#[derive(Clone)]
pub struct CredentialsConfig {
    /// The key that the command line gives, for whichever provider is asked.
    pub command_line: Option<String>,
    /// What the settings say, by provider.
    pub settings: BTreeMap<String, KeySpec>,
    /// The file of keys.
    pub auth_file: Option<PathBuf>,
    /// The variables of the program.
    pub variables: VariableLookup,
    /// Where commands are run that print keys.
    pub commands: Option<Arc<dyn ExecutionEnv>>,
    /// How long such a command may take.
    pub command_timeout: Duration,
}

impl Default for CredentialsConfig {
    fn default() -> Self {
        Self {
            command_line: None,
            settings: BTreeMap::new(),
            auth_file: None,
            variables: Arc::new(|_| None),
            commands: None,
            command_timeout: COMMAND_TIMEOUT,
        }
    }
}

impl fmt::Debug for CredentialsConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialsConfig")
            .field("settings", &self.settings)
            .field("auth_file", &self.auth_file)
            .finish_non_exhaustive()
    }
}

/// Who says what a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// The command line.
    CommandLine,
    /// The settings, by this kind of entry.
    Settings(&'static str),
    /// The file of keys, by this kind of entry.
    AuthFile(&'static str),
    /// A variable of the provider.
    Variable(String),
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => f.write_str("--api-key"),
            Self::Settings(_) => f.write_str("the settings"),
            Self::AuthFile(_) => f.write_str("deed auth"),
            Self::Variable(name) => write!(f, "the variable {name}"),
        }
    }
}

/// Whether there is a key, as far as that can be told without running a command.
#[derive(Clone, Debug)]
pub enum KeyPresence {
    /// There is one, or a command that should print it.
    Set(KeyOrigin),
    /// Nothing says anything.
    NotSet,
    /// Something says what it is, and it cannot be had.
    Faulty(KeyError),
}

/// The keys of all providers.
///
/// Cheap to clone; all clones share what commands printed.
#[derive(Clone, Debug)]
pub struct Credentials {
    shared: Arc<Shared>,
}

struct Shared {
    config: CredentialsConfig,
    stored: OnceLock<Result<BTreeMap<String, KeySpec>, Arc<AuthError>>>,
    /// What commands printed, by command; each runs once.
    printed: Mutex<HashMap<String, Arc<OnceCell<Secret>>>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(f)
    }
}

/// A key before a command is run for it.
enum Found {
    Key(Secret, KeyOrigin),
    Command(String, KeyOrigin),
    Nothing,
}

impl Credentials {
    /// Looks nowhere yet.
    pub fn new(config: CredentialsConfig) -> Self {
        let shared = Arc::new(Shared {
            config,
            stored: OnceLock::new(),
            printed: Mutex::default(),
        });
        Self { shared }
    }

    /// Returns the source of a provider's key, which is looked for when it is needed.
    ///
    /// `variables` are those that may hold it. Without a key, a provider that needs one is an error,
    /// and another is asked without.
    pub fn provider<S: Into<String>>(
        &self,
        provider: &str,
        variables: impl IntoIterator<Item = S>,
        needs_key: bool,
    ) -> ProviderKey {
        ProviderKey {
            credentials: self.clone(),
            provider: provider.to_owned(),
            variables: variables.into_iter().map(Into::into).collect(),
            needs_key,
        }
    }

    /// Returns the secrets that are known by now, to be taken out of what leaves: of the command
    /// line, the settings, the file of keys and what commands printed.
    ///
    /// Those in variables are for [`deed_guard::redact::known_from_environment`]. A file that cannot
    /// be used has none; who needs a key of it is told.
    pub fn known_secrets(&self) -> Vec<KnownSecret> {
        let literal = |(provider, spec): (&String, &KeySpec)| match spec {
            KeySpec::Literal(key) => Some((format!("key-{provider}"), key.clone())),
            KeySpec::Variable(name) => Some((name.clone(), self.variable(name)?)),
            KeySpec::Command(_) => None,
        };
        let config = &self.shared.config;
        let command_line = config.command_line.clone();
        let stored = self.stored().ok().into_iter().flatten();
        let mut found: Vec<(String, String)> = command_line
            .map(|key| ("api-key".to_owned(), key))
            .into_iter()
            .chain(config.settings.iter().filter_map(literal))
            .chain(stored.filter_map(literal))
            .collect();
        let printed = self.printed();
        let printed = printed.values().filter_map(|cell| cell.get());
        found.extend(printed.map(|key| ("key".to_owned(), key.reveal().to_owned())));
        let secrets = found.into_iter().map(|(kind, value)| KnownSecret {
            kind,
            value: value.trim().to_owned(),
        });
        secrets.filter(|secret| !secret.value.is_empty()).collect()
    }

    fn stored(&self) -> Result<&BTreeMap<String, KeySpec>, Arc<AuthError>> {
        let stored = self.shared.stored.get_or_init(|| {
            let path = self.shared.config.auth_file.as_ref();
            let loaded =
                path.map_or_else(|| Ok(BTreeMap::new()), |path| AuthFile::new(path).load());
            loaded.map_err(Arc::new)
        });
        stored.as_ref().map_err(Arc::clone)
    }

    fn variable(&self, name: &str) -> Option<String> {
        let value = (self.shared.config.variables)(name)?;
        Some(value).filter(|value| !value.trim().is_empty())
    }

    fn printed(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<OnceCell<Secret>>>> {
        let printed = self.shared.printed.lock();
        printed.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of one provider.
#[derive(Clone, Debug)]
pub struct ProviderKey {
    credentials: Credentials,
    provider: String,
    variables: Vec<String>,
    needs_key: bool,
}

impl ProviderKey {
    /// Tells whether there is a key, without running a command.
    pub fn presence(&self) -> KeyPresence {
        match self.find() {
            Ok(Found::Key(_, origin) | Found::Command(_, origin)) => KeyPresence::Set(origin),
            Ok(Found::Nothing) => KeyPresence::NotSet,
            Err(error) => KeyPresence::Faulty(error),
        }
    }

    /// Returns the key, and runs the command that prints it if there is one; `None` if there is none
    /// and none is needed.
    ///
    /// Cancellation: if the future is dropped, the command is ended.
    pub async fn get(&self) -> Result<Option<String>, KeyError> {
        let key = match self.find()? {
            Found::Key(key, _) => key,
            Found::Command(command, origin) => self.printed(&command, origin).await?,
            Found::Nothing if self.needs_key => {
                return Err(KeyError::NotSet {
                    provider: self.provider.clone(),
                    variables: self.variables.clone(),
                });
            }
            Found::Nothing => return Ok(None),
        };
        Ok(Some(key.reveal().to_owned()))
    }

    fn find(&self) -> Result<Found, KeyError> {
        let config = &self.credentials.shared.config;
        if let Some(key) = &config.command_line {
            return self.key(key, KeyOrigin::CommandLine);
        }
        if let Some(spec) = config.settings.get(&self.provider) {
            return self.by_spec(spec, KeyOrigin::Settings(spec.kind()));
        }
        let stored = self.credentials.stored().map_err(KeyError::AuthFile)?;
        if let Some(spec) = stored.get(&self.provider) {
            return self.by_spec(spec, KeyOrigin::AuthFile(spec.kind()));
        }
        for name in &self.variables {
            if let Some(key) = self.credentials.variable(name) {
                return self.key(&key, KeyOrigin::Variable(name.clone()));
            }
        }
        Ok(Found::Nothing)
    }

    fn by_spec(&self, spec: &KeySpec, origin: KeyOrigin) -> Result<Found, KeyError> {
        match spec {
            KeySpec::Literal(key) => self.key(key, origin),
            KeySpec::Command(command) => Ok(Found::Command(command.clone(), origin)),
            KeySpec::Variable(name) => match self.credentials.variable(name) {
                Some(key) => self.key(&key, origin),
                None => Err(KeyError::VariableNotSet {
                    provider: self.provider.clone(),
                    variable: name.clone(),
                    origin,
                }),
            },
        }
    }

    fn key(&self, written: &str, origin: KeyOrigin) -> Result<Found, KeyError> {
        match Secret::new(written) {
            Some(key) => Ok(Found::Key(key, origin)),
            None => Err(self.no_key(origin)),
        }
    }

    fn no_key(&self, origin: KeyOrigin) -> KeyError {
        KeyError::NoKey {
            provider: self.provider.clone(),
            origin,
        }
    }

    async fn printed(&self, command: &str, origin: KeyOrigin) -> Result<Secret, KeyError> {
        let cell = {
            let mut printed = self.credentials.printed();
            Arc::clone(printed.entry(command.to_owned()).or_default())
        };
        let config = &self.credentials.shared.config;
        let failed = |fault| KeyError::Command {
            provider: self.provider.clone(),
            origin: origin.clone(),
            fault,
        };
        let running = cell.get_or_try_init(|| async {
            let env = config.commands.as_deref();
            let env = env.ok_or_else(|| failed(CommandFault::NoRunner))?;
            let output = command::output_of(command, env, config.command_timeout).await;
            Secret::new(&output.map_err(failed)?).ok_or_else(|| self.no_key(origin.clone()))
        });
        running.await.cloned()
    }
}

impl KeySource for ProviderKey {
    fn key(&self) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(async { self.get().await.map_err(|error| error.to_string()) })
    }
}
