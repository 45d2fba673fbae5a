//! Skills, prompts and instructions, and what else lies in Pi's folder.

use super::{Action, ImportKind, Plan};

/// Files with instructions, which have the same names here.
const INSTRUCTIONS: [&str; 7] = [
    "AGENTS.override.md",
    "AGENTS.md",
    "AGENTS.MD",
    "CLAUDE.md",
    "CLAUDE.MD",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
];

/// What is dealt with elsewhere.
const KNOWN: [&str; 6] = [
    "settings.json",
    "models.json",
    "auth.json",
    "skills",
    "prompts",
    "sessions",
];

/// What Deed has nothing like, and what there is to say of it.
const NOT_SUPPORTED: [(&str, &str); 6] = [
    (
        "extensions",
        "extensions are programs; look at them, then load them with --extension",
    ),
    ("themes", "the colours of Deed are those of the terminal"),
    ("keybindings.json", "keys cannot be set"),
    ("mcp.json", "MCP servers are not in this version"),
    ("mcp-auth.json", "MCP servers are not in this version"),
    ("trust.json", "trust is asked for anew"),
];

/// What Pi makes anew by itself.
const OF_ITSELF: [&str; 8] = [
    "bin",
    "cache",
    "git",
    "npm",
    "tmp",
    "logs",
    "models-store.json",
    "pi-debug.log",
];

impl Plan<'_> {
    pub(super) fn files(&mut self, names: &[String]) {
        for name in INSTRUCTIONS {
            if names.iter().any(|there| there == name) {
                self.copy(ImportKind::Instructions, name);
            }
        }
        self.entries(ImportKind::Skill, "skills", |_| true);
        self.entries(ImportKind::Prompt, "prompts", |name| name.ends_with(".md"));
    }

    pub(super) fn others(&mut self, names: &[String]) {
        let is_other = |name: &&String| {
            let is = |known: &[&str]| known.contains(&name.as_str());
            !is(&KNOWN) && !is(&INSTRUCTIONS) && !is(&OF_ITSELF)
        };
        for name in names.iter().filter(is_other) {
            let row = NOT_SUPPORTED.iter().find(|(known, _)| known == name);
            let reason = row.map_or("Deed knows nothing of it", |(_, reason)| reason);
            self.not_supported(ImportKind::Other, name, reason);
        }
    }

    fn entries(&mut self, kind: ImportKind, folder: &str, is_taken: fn(&str) -> bool) {
        // One that is not there has none; any other fault is that of what lies in it.
        let names = super::names_in(&self.places.pi.join(folder)).unwrap_or_default();
        for name in names.iter().filter(|name| !name.starts_with('.')) {
            let path = format!("{folder}/{name}");
            match is_taken(name) {
                true => self.copy(kind, &path),
                false => self.not_supported(kind, path, "only Markdown files are templates"),
            }
        }
    }

    fn copy(&mut self, kind: ImportKind, name: &str) {
        let (from, to) = (self.places.pi.join(name), self.places.config.join(name));
        if to.symlink_metadata().is_ok() {
            return self.skip(kind, name, format!("{} is there already", to.display()));
        }
        if !from.exists() {
            return self.skip(kind, name, "it is a link that leads nowhere");
        }
        self.take(kind, name, to, Action::Copy(from));
    }
}
