//! Settings in the words of those who go by them.

use std::time::Duration;

use deed_agent::Limits;
use deed_guard::redact::{KnownSecret, known_from_url};
use deed_models::{ProxyChoice, RootChoice, TransportOptions};
use deed_tooling::{DefaultTools, Preset};
use deed_tools::ToolSettings;

use super::shown::secrets_in;
use super::{ProxySetting, Settings};
use crate::{RetryPolicy, RunLimits};

impl Settings {
    /// Returns what a prompt may set off.
    pub fn run_limits(&self) -> RunLimits {
        RunLimits {
            max_turns: self.max_turns,
            max_cost_usd: self.max_cost_usd,
            max_equal_turns: Some(self.repeat_limit),
        }
    }

    /// Returns when a request that failed is sent again.
    pub fn retry_policy(&self) -> RetryPolicy {
        RetryPolicy {
            enabled: self.retry.enabled,
            max_retries: self.retry.max_retries,
            base_delay: self.retry.base_delay,
            max_delay: self.retry.max_delay,
        }
    }

    /// Returns the bounds of a batch.
    pub fn batch_limits(&self) -> Limits {
        Limits {
            max_concurrent_calls: self.max_concurrent_calls,
            cancel_grace: self.cancel_grace,
            pi_compatible_hooks: self.pi_compatible_hooks,
            ..Limits::default()
        }
    }

    /// Puts into how the built-in tools act what the settings say of it.
    pub fn apply_to_tools(&self, tools: ToolSettings) -> ToolSettings {
        ToolSettings {
            shell_path: self.shell_path.clone(),
            shell_command_prefix: self.shell_command_prefix.clone(),
            images_auto_resize: self.images.auto_resize,
            ..tools
        }
    }

    /// Returns the tools to begin with.
    pub fn default_tools(&self) -> DefaultTools {
        if self.default_tools.is_empty() {
            return DefaultTools::Named(Vec::new());
        }
        DefaultTools::from_setting(Preset::default(), &self.default_tools)
    }

    /// Returns the secrets that stand in the settings, to be taken out of what leaves: keys, header
    /// fields that tell one, passwords of proxies. Those of databases are told by who opens them.
    pub fn known_secrets(&self) -> Vec<KnownSecret> {
        let mut found = Vec::new();
        for (name, provider) in &self.providers.0 {
            secrets_in(&format!("key-{name}"), provider, &mut found);
        }
        if let ProxySetting::Url(url) = &self.proxy {
            found.extend(known_from_url("proxy", url));
        }
        found
    }

    /// Returns how models are reached.
    pub fn transport_options(&self) -> TransportOptions {
        TransportOptions {
            idle_timeout: self.http_idle_timeout.unwrap_or(Duration::MAX),
            proxy: match &self.proxy {
                ProxySetting::System => ProxyChoice::System,
                ProxySetting::None => ProxyChoice::None,
                ProxySetting::Url(url) => ProxyChoice::Url {
                    url: url.clone(),
                    no_proxy: self.no_proxy.clone().unwrap_or_default(),
                },
            },
            roots: match self.tls_system_roots {
                true => RootChoice::System,
                false => RootChoice::Bundled,
            },
            extra_roots: self.tls_extra_roots.clone(),
            ..TransportOptions::default()
        }
    }
}
