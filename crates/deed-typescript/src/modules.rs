//! The JavaScript side as it is built in, and which specifier means which file of it.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// What stands in front of the names of built-in modules.
pub(crate) const PREFIX: &str = "deed:";
/// What is evaluated first, as a script.
pub(crate) const PRELUDE: &str = "deed:prelude";
/// What is evaluated second; its default export is what the host talks to.
pub(crate) const HOST: &str = "deed:host";

/// Old names of packages, by prefix.
const RENAMED: &[(&str, &str)] = &[
    ("@mariozechner/", "@earendil-works/"),
    ("@sinclair/typebox", "typebox"),
];

/// What node has and this host does not, unless there is a file for it.
const NODE_BUILTINS: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Specifiers of authors, and the identities of the modules they mean.
static SPECIFIERS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let table = file("modules.json").unwrap_or("{}");
    let table: HashMap<String, String> = serde_json::from_str(table).unwrap_or_default();
    let identity = |(specifier, file): (String, String)| (specifier, identity_of(&file));
    table.into_iter().map(identity).collect()
});

fn file(name: &str) -> Option<&'static str> {
    let found = FILES.iter().find(|(there, _)| *there == name);
    found.map(|(_, text)| *text)
}

fn identity_of(file: &str) -> String {
    format!("{PREFIX}{}", file.strip_suffix(".js").unwrap_or(file))
}

/// Returns the text of a built-in module by its identity.
pub(crate) fn source(identity: &str) -> Option<&'static str> {
    let name = identity.strip_prefix(PREFIX)?;
    let found = FILES
        .iter()
        .find(|(there, _)| there.strip_suffix(".js") == Some(name));
    found.map(|(_, text)| *text)
}

/// Returns the identity of the built-in module that a specifier of an author means.
pub(crate) fn identity(specifier: &str) -> Option<String> {
    let current = RENAMED.iter().find_map(|(old, new)| {
        specifier
            .strip_prefix(old)
            .map(|rest| format!("{new}{rest}"))
    });
    let specifier = current.as_deref().unwrap_or(specifier);
    let as_node = || SPECIFIERS.get(&format!("node:{specifier}"));
    SPECIFIERS.get(specifier).or_else(as_node).cloned()
}

/// Returns the modules that authors may import, by their present names, with their identities.
pub(crate) fn all() -> BTreeMap<String, String> {
    let identities = SPECIFIERS.values();
    identities
        .filter_map(|identity| Some((name_of(identity)?, identity.clone())))
        .collect()
}

/// Tells whether a specifier means a module of node.
pub(crate) fn is_node(specifier: &str) -> bool {
    let name = specifier.split('/').next().unwrap_or_default();
    specifier.starts_with("node:") || NODE_BUILTINS.contains(&name)
}

/// Returns the present name of a built-in module that authors may import.
pub(crate) fn name_of(identity: &str) -> Option<String> {
    let names = SPECIFIERS.iter().filter(|(_, own)| *own == identity);
    let names = names.map(|(name, _)| name.as_str());
    let is_old = |name: &str| RENAMED.iter().any(|(old, _)| name.starts_with(old));
    let present = names.filter(|name| !is_old(name));
    // `node:fs` rather than `fs`, and the same one each time.
    present
        .min_by_key(|name| (!name.starts_with("node:"), name.len(), *name))
        .map(str::to_owned)
}
