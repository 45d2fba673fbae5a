//! Files that `require` and export by assignment, and what modules import from them.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rquickjs::context::EvalOptions;
use rquickjs::function::This;
use rquickjs::{Ctx, Exception, Function, Module, Object, Persistent, Promise, Value};

use super::inside::Inside;
use super::loader::{throw, url_path};
use crate::resolve::{Asked, Target, nearest_type, resolve};
use crate::transpile::{Script, transpile};
use crate::{Admits, ScriptError, modules};

/// How a file is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Module,
    CommonJs,
    Json,
}

/// A module that stands for a CommonJS file towards one that imports it.
#[derive(Clone)]
pub(super) struct Wrapper {
    pub(super) path: PathBuf,
    names: Vec<String>,
}

pub(super) const WRAPPER_HEAD: &str = "const $ = import.meta.load();\n";
/// As what was compiled to CommonJS means it.
pub(super) const WRAPPER_DEFAULT: &str =
    "export default ($ && $.__esModule && 'default' in $ ? $.default : $);\n";
const WRAPPER_PREFIX: &str = "commonjs:";
/// Names of modules that import another without waiting.
const NOW_PREFIX: &str = "now:";

impl Wrapper {
    /// A CommonJS file says what it exports only when it runs, which is too late for linking; so the
    /// wrapper exports what is asked for.
    pub(super) fn source(&self) -> String {
        let mut source = WRAPPER_HEAD.to_owned() + WRAPPER_DEFAULT;
        for (at, name) in self.names.iter().enumerate() {
            let name = serde_json::Value::from(name.as_str());
            source += &format!("const $ {at} = $?.[{name}]; export {{ $ {at} as {name} }};\n")
                .replace("$ ", "$");
        }
        source
    }
}

/// Files that were read, and CommonJS modules that ran.
pub(super) struct Modules {
    scripts: RefCell<HashMap<PathBuf, Rc<Script>>>,
    wrappers: RefCell<HashMap<String, Wrapper>>,
    /// The `module` object of each CommonJS file.
    loaded: RefCell<HashMap<PathBuf, Persistent<Object<'static>>>>,
    /// What modules that were imported without waiting export.
    namespaces: RefCell<HashMap<String, Persistent<Object<'static>>>>,
    /// The host imports by identity; to the engine it looks as if the script did.
    is_host_importing: Cell<bool>,
    /// Modules of authors that were loaded and may not have run to their end.
    begun: RefCell<HashSet<String>>,
    /// Those of them that nobody may need who is imported without waiting.
    locked: RefCell<HashSet<String>>,
    admits: Admits,
}

impl Modules {
    pub(super) fn new(admits: Admits) -> Self {
        Self {
            scripts: RefCell::default(),
            wrappers: RefCell::default(),
            loaded: RefCell::default(),
            namespaces: RefCell::default(),
            is_host_importing: Cell::default(),
            begun: RefCell::default(),
            locked: RefCell::default(),
            admits,
        }
    }

    pub(super) fn clear(&self) {
        self.loaded.borrow_mut().clear();
        self.namespaces.borrow_mut().clear();
    }

    /// Imports a module by its identity.
    pub(super) fn import<'js>(
        &self,
        ctx: &Ctx<'js>,
        identity: &str,
    ) -> rquickjs::Result<Promise<'js>> {
        self.is_host_importing.set(true);
        Module::import(ctx, identity)
    }

    /// Imports a module without waiting; `None` if it waits itself while it loads.
    ///
    /// No jobs run meanwhile. One of them could link a module that needs one which is being
    /// evaluated at the moment, and the engine does not survive that.
    pub(super) fn import_now<'js>(
        &self,
        ctx: &Ctx<'js>,
        identity: &str,
    ) -> rquickjs::Result<Option<Object<'js>>> {
        let known = self.namespaces.borrow().get(identity).cloned();
        if let Some(namespace) = known {
            return namespace.restore(ctx).map(Some);
        }
        self.ensure_over(ctx, &self.begun.borrow(), identity)?;
        let begun = self.begun.borrow().clone();
        let outer = self.locked.replace(begun.clone());
        let imported = self.import_fresh(ctx, identity);
        self.locked.replace(outer);
        // What was loaded on the way has run, or failed for good.
        self.begun.replace(begun);
        imported
    }

    fn import_fresh<'js>(
        &self,
        ctx: &Ctx<'js>,
        identity: &str,
    ) -> rquickjs::Result<Option<Object<'js>>> {
        let number = self.namespaces.borrow().len();
        let name = format!("{NOW_PREFIX}{number}:{identity}");
        let from = serde_json::Value::from(identity);
        self.is_host_importing.set(true);
        let source = format!("export * as all from {from};");
        let (module, evaluated) = Module::declare(ctx.clone(), name, source)?.eval()?;
        let Some(evaluated) = evaluated.result::<()>() else {
            return Ok(None);
        };
        evaluated?;
        let namespace: Object<'js> = module.namespace()?.get("all")?;
        let kept = Persistent::save(ctx, namespace.clone());
        self.namespaces
            .borrow_mut()
            .insert(identity.to_owned(), kept);
        Ok(Some(namespace))
    }

    /// Notes that a module of an author is loaded.
    pub(super) fn begin(&self, name: &str) {
        self.begun.borrow_mut().insert(name.to_owned());
    }

    /// Notes that nothing runs any more: all that was loaded has run, failed, or waits.
    pub(super) fn pause(&self) {
        self.begun.borrow_mut().clear();
    }

    /// Errors: it is needed by something that is imported without waiting, and may be running.
    pub(super) fn ensure_free(&self, ctx: &Ctx<'_>, name: &str) -> rquickjs::Result<()> {
        self.ensure_over(ctx, &self.locked.borrow(), name)
    }

    /// The engine ends the program where a module is linked that needs one which runs at the moment.
    fn ensure_over(
        &self,
        ctx: &Ctx<'_>,
        among: &HashSet<String>,
        name: &str,
    ) -> rquickjs::Result<()> {
        if !among.contains(name) {
            return Ok(());
        }
        let file = self.file_of(name);
        let text = format!(
            "{} is still being loaded, and `require` cannot wait for that; import it instead",
            file.display()
        );
        Err(Exception::throw_message(ctx, &text))
    }

    /// Tells once whether the name that is to be resolved comes from the host.
    pub(super) fn take_host_import(&self) -> bool {
        self.is_host_importing.take()
    }

    /// Reads a file, once.
    pub(super) fn script(&self, path: &Path) -> Result<Rc<Script>, ScriptError> {
        if let Some(script) = self.scripts.borrow().get(path) {
            return Ok(script.clone());
        }
        let unreadable = |cause: String| ScriptError::Read {
            path: path.to_owned(),
            cause,
        };
        let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        (self.admits)(path, &bytes).map_err(|reason| ScriptError::NotAdmitted {
            path: path.to_owned(),
            reason,
        })?;
        let text =
            String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let script = match path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            false => transpile(path, text)?,
            true => {
                serde_json::from_str::<serde::de::IgnoredAny>(text)
                    .map_err(|error| unreadable(format!("it is not JSON: {error}")))?;
                Script {
                    code: text.to_owned(),
                    map: None,
                    has_module_syntax: false,
                    imports: HashMap::new(),
                }
            }
        };
        let script = Rc::new(script);
        self.scripts
            .borrow_mut()
            .insert(path.to_owned(), script.clone());
        Ok(script)
    }

    /// Tells how a file is run: by its name, then by its package, then by what is in it.
    pub(super) fn kind(&self, path: &Path) -> Result<Kind, ScriptError> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("json") => return Ok(Kind::Json),
            Some("mjs" | "mts") => return Ok(Kind::Module),
            Some("cjs" | "cts") => return Ok(Kind::CommonJs),
            _ => {}
        }
        let script = self.script(path)?;
        if script.has_module_syntax || nearest_type(path).as_deref() == Some("module") {
            return Ok(Kind::Module);
        }
        let marks = ["module.exports", "exports.", "require("];
        let is_commonjs = marks.iter().any(|mark| script.code.contains(mark));
        Ok(if is_commonjs {
            Kind::CommonJs
        } else {
            Kind::Module
        })
    }

    /// Returns the name of the wrapper of a CommonJS file for one that imports it.
    pub(super) fn wrapper(&self, importer: &Path, specifier: &str, path: &Path) -> String {
        let id = format!(
            "{WRAPPER_PREFIX}{}\u{1}{}",
            importer.display(),
            path.display()
        );
        let importing = self.script(importer).ok();
        let names = importing.and_then(|script| script.imports.get(specifier).cloned());
        let mut names = names.unwrap_or_default();
        if let Ok(script) = self.script(path) {
            names.extend(exported_names(&script.code));
        }
        names.retain(|name| name != "default");
        names.sort();
        names.dedup();
        let path = path.to_owned();
        self.wrappers
            .borrow_mut()
            .insert(id.clone(), Wrapper { path, names });
        id
    }

    pub(super) fn wrapper_of(&self, id: &str) -> Option<Wrapper> {
        self.wrappers.borrow().get(id).cloned()
    }

    /// Returns the file that a module's name stands for.
    pub(super) fn file_of(&self, id: &str) -> PathBuf {
        self.wrapper_of(id)
            .map_or_else(|| PathBuf::from(id), |wrapper| wrapper.path)
    }
}

/// Finds names that are assigned in the usual ways, for those who import all there is.
fn exported_names(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices("exports.") {
        let rest = code.get(at + "exports.".len()..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        let (name, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let behind = behind.trim_start();
        if !name.is_empty() && behind.starts_with('=') && !behind.starts_with("==") {
            names.push(name.to_owned());
        }
    }
    for (at, mark) in code.match_indices("defineProperty(exports, ") {
        let rest = code.get(at + mark.len()..).unwrap_or_default();
        let mut parts = rest.split(['"', '\'']);
        if parts.next().is_some_and(|before| before.is_empty())
            && let Some(name) = parts.next()
        {
            names.push(name.to_owned());
        }
    }
    names.retain(|name| name != "__esModule");
    names
}

/// Returns what `require` returns.
pub(super) fn require<'js>(
    ctx: &Ctx<'js>,
    inside: &Rc<Inside>,
    specifier: &str,
    from: &Path,
) -> rquickjs::Result<Value<'js>> {
    let found = resolve(specifier, from, Asked::Require);
    let found = found.map_err(|error| Exception::throw_message(ctx, &error.to_string()))?;
    let path = match found {
        Target::BuiltIn(identity) => {
            let namespace = import_now(ctx, inside, &identity)?;
            let default: Value<'js> = namespace.get("default")?;
            return Ok(if default.is_undefined() {
                namespace.into_value()
            } else {
                default
            });
        }
        Target::File(path) => path,
    };
    match inside
        .modules
        .kind(&path)
        .map_err(|error| throw(ctx, &error))?
    {
        Kind::Json => {
            let script = inside
                .modules
                .script(&path)
                .map_err(|error| throw(ctx, &error))?;
            ctx.json_parse(script.code.as_str())
        }
        Kind::CommonJs => load(ctx, inside, &path),
        Kind::Module => Ok(import_now(ctx, inside, &path.to_string_lossy())?.into_value()),
    }
}

/// Imports a module without waiting.
fn import_now<'js>(
    ctx: &Ctx<'js>,
    inside: &Inside,
    identity: &str,
) -> rquickjs::Result<Object<'js>> {
    inside.modules.import_now(ctx, identity)?.ok_or_else(|| {
        let text = format!("{identity} waits while it loads; `require` cannot, so import it");
        Exception::throw_message(ctx, &text)
    })
}

/// Runs a CommonJS file, once, and returns its exports.
pub(super) fn load<'js>(
    ctx: &Ctx<'js>,
    inside: &Rc<Inside>,
    path: &Path,
) -> rquickjs::Result<Value<'js>> {
    let loaded = inside.modules.loaded.borrow().get(path).cloned();
    if let Some(module) = loaded {
        return module.restore(ctx)?.get("exports");
    }
    let script = inside
        .modules
        .script(path)
        .map_err(|error| throw(ctx, &error))?;
    let file = path.to_string_lossy();
    if let Some(map) = &script.map {
        inside.places.add(&file, map.clone());
    }
    let module = Object::new(ctx.clone())?;
    let exports = Object::new(ctx.clone())?;
    module.set("exports", exports.clone())?;
    module.set("id", file.as_ref())?;
    module.set("filename", file.as_ref())?;
    // Before it runs, for those that require each other.
    let kept = Persistent::save(ctx, module.clone());
    inside
        .modules
        .loaded
        .borrow_mut()
        .insert(path.to_owned(), kept);
    let run = || -> rquickjs::Result<()> {
        let mut options = EvalOptions::default();
        options.strict = false;
        options.filename = Some(file.clone().into_owned());
        // On one line with the code, so that lines stay what they are.
        let code = format!(
            "(function(exports,require,module,__filename,__dirname){{{}\n}})",
            script.code
        );
        let function: Function<'js> = ctx.eval_with_options(code, options)?;
        let require = require_function(ctx, inside, path)?;
        let folder = path.parent().unwrap_or(Path::new("/")).to_string_lossy();
        function.call((
            This(exports.clone()),
            exports,
            require,
            module.clone(),
            file.as_ref(),
            folder.as_ref(),
        ))
    };
    if let Err(error) = run() {
        inside.modules.loaded.borrow_mut().remove(path);
        return Err(error);
    }
    module.set("loaded", true)?;
    module.get("exports")
}

fn require_function<'js>(
    ctx: &Ctx<'js>,
    inside: &Rc<Inside>,
    from: &Path,
) -> rquickjs::Result<Function<'js>> {
    let (shared, file) = (inside.clone(), from.to_owned());
    let require = Function::new(
        ctx.clone(),
        move |ctx: Ctx<'js>, specifier: String| -> rquickjs::Result<Value<'js>> {
            require(&ctx, &shared, &specifier, &file)
        },
    )?;
    let file = from.to_owned();
    let resolve = move |ctx: Ctx<'js>, specifier: String| resolved(&ctx, &specifier, &file);
    require.set("resolve", Function::new(ctx.clone(), resolve)?)?;
    Ok(require)
}

/// Returns the path that `require.resolve` returns.
pub(super) fn resolved(ctx: &Ctx<'_>, specifier: &str, from: &Path) -> rquickjs::Result<String> {
    match resolve(specifier, from, Asked::Require) {
        Ok(Target::File(path)) => Ok(path.to_string_lossy().into_owned()),
        Ok(Target::BuiltIn(_)) => Ok(specifier.to_owned()),
        Err(error) => Err(Exception::throw_message(ctx, &error.to_string())),
    }
}

/// Returns the URL that `import.meta.resolve` returns.
pub(super) fn resolved_url(
    ctx: &Ctx<'_>,
    specifier: &str,
    from: &Path,
) -> rquickjs::Result<String> {
    let asked = resolve(specifier, from, Asked::Import);
    match asked {
        Ok(Target::File(path)) => Ok(format!("file://{}", url_path(&path.to_string_lossy()))),
        Ok(Target::BuiltIn(_)) if modules::is_node(specifier) => {
            Ok(format!("node:{}", specifier.trim_start_matches("node:")))
        }
        Ok(Target::BuiltIn(_)) => Ok(specifier.to_owned()),
        Err(error) => Err(Exception::throw_message(ctx, &error.to_string())),
    }
}
