//! How the engine finds and reads modules.

use std::path::Path;
use std::rc::Rc;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Exception, Function, Module, Value};

use super::commonjs::{self, Kind};
use super::inside::Inside;
use crate::resolve::{Asked, Target, resolve};
use crate::{ScriptError, modules};

/// Finds what a specifier means.
pub(super) struct ScriptResolver(pub(super) Rc<Inside>);

/// Reads what was found.
pub(super) struct ScriptLoader(pub(super) Rc<Inside>);

impl Resolver for ScriptResolver {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        if self.0.modules.take_host_import()
            || (base.starts_with(modules::PREFIX) && name.starts_with(modules::PREFIX))
        {
            return Ok(name.to_owned());
        }
        let base = self.0.modules.file_of(base);
        match resolve(name, &base, Asked::Import) {
            Ok(Target::BuiltIn(identity)) => Ok(identity),
            Ok(Target::File(path)) => {
                let kind = self
                    .0
                    .modules
                    .kind(&path)
                    .map_err(|error| throw(ctx, &error))?;
                let found = match kind {
                    Kind::CommonJs => self.0.modules.wrapper(&base, name, &path),
                    Kind::Module | Kind::Json => path.to_string_lossy().into_owned(),
                };
                self.0.modules.ensure_free(ctx, &found)?;
                Ok(found)
            }
            Err(error) => Err(Exception::throw_message(ctx, &error.to_string())),
        }
    }
}

impl Loader for ScriptLoader {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        if name.starts_with(modules::PREFIX) {
            return match modules::source(name) {
                Some(source) => Module::declare(ctx.clone(), name, source),
                None => Err(Exception::throw_message(
                    ctx,
                    &format!("cannot find '{name}'"),
                )),
            };
        }
        self.0.modules.begin(name);
        if let Some(wrapper) = self.0.modules.wrapper_of(name) {
            let module = Module::declare(ctx.clone(), name, wrapper.source())?;
            let inside = self.0.clone();
            let load = move |ctx: Ctx<'js>| -> rquickjs::Result<Value<'js>> {
                commonjs::load(&ctx, &inside, &wrapper.path)
            };
            module
                .meta()?
                .set("load", Function::new(ctx.clone(), load)?)?;
            return Ok(module);
        }
        self.file(ctx, name)
    }
}

impl ScriptLoader {
    fn file<'js>(&self, ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Module<'js, Declared>> {
        let path = Path::new(name);
        let modules = &self.0.modules;
        let kind = modules.kind(path).map_err(|error| throw(ctx, &error))?;
        let script = modules.script(path).map_err(|error| throw(ctx, &error))?;
        match kind {
            Kind::Json => {
                return Module::declare(
                    ctx.clone(),
                    name,
                    format!("export default {};", script.code),
                );
            }
            Kind::CommonJs => {
                // Only the extension's own file comes here; it is imported by its name.
                let source = commonjs::WRAPPER_HEAD.to_owned() + commonjs::WRAPPER_DEFAULT;
                let module = Module::declare(ctx.clone(), name, source)?;
                let (inside, path) = (self.0.clone(), path.to_owned());
                let load = move |ctx: Ctx<'js>| commonjs::load(&ctx, &inside, &path);
                module
                    .meta()?
                    .set("load", Function::new(ctx.clone(), load)?)?;
                return Ok(module);
            }
            Kind::Module => {}
        }
        if let Some(map) = &script.map {
            self.0.places.add(name, map.clone());
        }
        let module = Module::declare(ctx.clone(), name, script.code.as_str())?;
        let meta = module.meta()?;
        meta.set("url", format!("file://{}", url_path(name)))?;
        meta.set("filename", name)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        meta.set("dirname", folder.to_string_lossy().as_ref())?;
        let from = path.to_owned();
        let resolved =
            move |ctx: Ctx<'js>, specifier: String| commonjs::resolved_url(&ctx, &specifier, &from);
        meta.set("resolve", Function::new(ctx.clone(), resolved)?)?;
        Ok(module)
    }
}

/// Throws an error whose text names file and place.
pub(super) fn throw(ctx: &Ctx<'_>, error: &ScriptError) -> rquickjs::Error {
    Exception::throw_message(ctx, &error.to_string())
}

/// Writes a path as part of a URL.
pub(super) fn url_path(path: &str) -> String {
    let mut url = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => url.push(char::from(byte)),
            b'/' | b'-' | b'_' | b'.' | b'~' | b'@' | b'+' | b',' | b'(' | b')' | b'!' | b'$'
            | b'&' | b'\'' | b'*' | b';' | b'=' | b':' => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}
