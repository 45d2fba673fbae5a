//! TypeScript to JavaScript, with the way back for places.

use std::collections::HashMap;
use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_sourcemap::SourceMap;
use oxc_span::SourceType;
use oxc_syntax::module_record::{ExportImportName, ImportImportName, ModuleRecord};
use oxc_transformer::{TransformOptions, Transformer};

use crate::ScriptError;

/// A file as the engine takes it.
pub(crate) struct Script {
    pub(crate) code: String,
    /// From places in `code` to those in the file; `None` if it is as it was.
    pub(crate) map: Option<SourceMap<'static>>,
    /// Whether it has `import` or `export`.
    pub(crate) has_module_syntax: bool,
    /// Which names it imports from where.
    pub(crate) imports: HashMap<String, Vec<String>>,
}

/// Names whose files are taken for TypeScript.
const TYPESCRIPT: [&str; 4] = ["ts", "mts", "cts", "tsx"];

pub(crate) fn is_typescript(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| TYPESCRIPT.contains(&extension))
}

/// Takes types away and lowers what only TypeScript has; JavaScript is only looked at.
///
/// Imports of what is used as a type alone are dropped, as TypeScript itself does.
///
/// Errors: the file is not what its name says.
pub(crate) fn transpile(path: &Path, source: &str) -> Result<Script, ScriptError> {
    with_program(path, source, |program, record| {
        let printed = is_typescript(path).then(|| {
            let options = CodegenOptions {
                source_map_path: Some(path.to_owned()),
                ..CodegenOptions::default()
            };
            Codegen::new().with_options(options).build(program)
        });
        let (code, map) = match printed {
            Some(printed) => (printed.code, printed.map.map(SourceMap::into_owned)),
            None => (source.to_owned(), None),
        };
        Script {
            code,
            map,
            has_module_syntax: record.has_module_syntax,
            imports: imports(record),
        }
    })
}

/// Parses a file, takes types away from TypeScript, and hands on what is left.
///
/// Errors: the file is not what its name says.
pub(crate) fn with_program<R>(
    path: &Path,
    source: &str,
    look: impl FnOnce(&Program<'_>, &ModuleRecord<'_>) -> R,
) -> Result<R, ScriptError> {
    let allocator = Allocator::default();
    let kind = SourceType::from_path(path).unwrap_or_else(|_| SourceType::unambiguous());
    let kind = kind.with_unambiguous(true);
    let parsed = Parser::new(&allocator, source, kind).parse();
    if let Some(error) = parsed.diagnostics.errors().next() {
        return Err(syntax_error(path, source, error));
    }
    let mut program = parsed.program;
    if !is_typescript(path) {
        return Ok(look(&program, &parsed.module_record));
    }
    let semantic = SemanticBuilder::new()
        .with_excess_capacity(2.0)
        .with_enum_eval(true)
        .build(&program);
    if let Some(error) = semantic.diagnostics.errors().next() {
        return Err(syntax_error(path, source, error));
    }
    let scoping = semantic.semantic.into_scoping();
    let options = TransformOptions::default();
    let transformed =
        Transformer::new(&allocator, path, &options).build_with_scoping(scoping, &mut program);
    if let Some(error) = transformed.diagnostics.errors().next() {
        return Err(syntax_error(path, source, error));
    }
    Ok(look(&program, &parsed.module_record))
}

/// Collects the names that a module asks others for.
fn imports(record: &ModuleRecord<'_>) -> HashMap<String, Vec<String>> {
    let imported = record.import_entries.iter().map(|entry| {
        let name = match &entry.import_name {
            ImportImportName::Name(name) => Some(name.name.to_string()),
            _ => None,
        };
        (entry.module_request.name.to_string(), name)
    });
    let passed_on = record.indirect_export_entries.iter().filter_map(|entry| {
        let name = match &entry.import_name {
            ExportImportName::Name(name) => Some(name.name.to_string()),
            _ => None,
        };
        Some((entry.module_request.as_ref()?.name.to_string(), name))
    });
    let mut imports: HashMap<String, Vec<String>> = HashMap::new();
    for (from, name) in imported.chain(passed_on) {
        imports.entry(from).or_default().extend(name);
    }
    imports
}

fn syntax_error(path: &Path, source: &str, error: &oxc_diagnostics::OxcDiagnostic) -> ScriptError {
    let offset = error.labels.first().map_or(0, |label| label.offset());
    let before = source.get(..offset as usize).unwrap_or_default();
    let last_line = before.rsplit('\n').next().unwrap_or_default();
    ScriptError::Syntax {
        path: path.to_owned(),
        line_1based: before.matches('\n').count() + 1,
        column_1based: last_line.chars().count() + 1,
        message: error.message.to_string(),
    }
}
