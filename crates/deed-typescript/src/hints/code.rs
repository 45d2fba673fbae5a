//! Functions, tools and handlers in the files of an extension, as far as their names tell.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, AwaitExpression, CallExpression, Expression,
    FormalParameters, Function, IdentifierReference, MethodDefinition, ObjectExpression,
    ObjectProperty, ObjectPropertyKind, Program, StaticMemberExpression, VariableDeclarator,
};
use oxc_ast_visit::{VisitJs as Visit, walk_js as walk};
use oxc_syntax::scope::ScopeFlags;

use crate::Survey;
use crate::transpile::with_program;

/// What an author's own files hold; packages are left out.
#[derive(Default)]
pub(super) struct Code {
    pub(super) functions: Vec<FoundFunction>,
    pub(super) tools: Vec<FoundTool>,
    pub(super) handlers: Vec<FoundHandler>,
}

/// A function, with what stands in it and in those within it.
#[derive(Default)]
pub(super) struct FoundFunction {
    pub(super) file: PathBuf,
    /// What it is bound to, if that has a name.
    name: Option<String>,
    /// Parameters; those that are taken apart have no name.
    pub(super) params: Vec<Option<String>>,
    /// Last names of what it calls.
    pub(super) calls: BTreeSet<String>,
    /// Names and members that it mentions.
    pub(super) mentions: BTreeSet<String>,
    pub(super) waits: bool,
}

/// Something that looks like the definition of a tool.
pub(super) struct FoundTool {
    pub(super) file: PathBuf,
    pub(super) line_1based: usize,
    /// Its name, if it is written out.
    pub(super) name: Option<String>,
    execute: Option<Named>,
}

/// A handler of an event.
pub(super) struct FoundHandler {
    pub(super) file: PathBuf,
    pub(super) line_1based: usize,
    pub(super) event: String,
    function: Option<Named>,
}

/// A function that stands here, by its number, or elsewhere, by its name.
enum Named {
    Here(usize),
    There(String),
}

impl Code {
    /// Reads the files; what cannot be read is among the survey's faults already.
    pub(super) fn of(survey: &Survey) -> Self {
        let mut code = Self::default();
        for file in &survey.files {
            let parts = file.path.components();
            let is_package = parts
                .into_iter()
                .any(|part| part.as_os_str() == "node_modules");
            let is_json = file.path.extension().is_some_and(|it| it == "json");
            let text = std::str::from_utf8(&file.content).unwrap_or_default();
            if !is_package && !is_json {
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                let mut read =
                    |program: &Program<'_>| Reader::over(&mut code, &file.path, text, program);
                with_program(&file.path, text, |program, _| read(program)).ok();
            }
        }
        code
    }

    /// Returns what a tool runs, if it can be told.
    pub(super) fn execute_of(&self, tool: &FoundTool) -> Option<&FoundFunction> {
        self.find(&tool.file, tool.execute.as_ref()?)
    }

    /// Returns what a handler runs, if it can be told.
    pub(super) fn function_of(&self, handler: &FoundHandler) -> Option<&FoundFunction> {
        self.find(&handler.file, handler.function.as_ref()?)
    }

    fn find(&self, file: &Path, named: &Named) -> Option<&FoundFunction> {
        match named {
            Named::Here(number) => self.functions.get(*number),
            Named::There(name) => self.called(file, name).first().copied(),
        }
    }

    /// Functions that a name may mean: those of the same file if there are any.
    fn called(&self, file: &Path, name: &str) -> Vec<&FoundFunction> {
        let functions = self.functions.iter();
        let all: Vec<_> = functions
            .filter(|one| one.name.as_deref() == Some(name))
            .collect();
        let own: Vec<_> = all.iter().copied().filter(|one| one.file == file).collect();
        if own.is_empty() { all } else { own }
    }

    /// Returns a function with all of the author's that it calls, and that those call.
    pub(super) fn reach<'c>(&'c self, function: &'c FoundFunction) -> Vec<&'c FoundFunction> {
        let mut reached: Vec<&FoundFunction> = vec![function];
        let mut at = 0;
        while let Some(next) = reached.get(at).copied() {
            at += 1;
            for name in &next.calls {
                for one in self.called(&next.file, name) {
                    if !reached.iter().any(|there| std::ptr::eq(*there, one)) {
                        reached.push(one);
                    }
                }
            }
        }
        reached
    }
}

/// Walks over a file.
struct Reader<'c> {
    code: &'c mut Code,
    file: &'c Path,
    text: &'c str,
    /// The functions that it is in, by number.
    inside: Vec<usize>,
    /// What the function that comes next is bound to.
    next_name: Option<String>,
}

impl<'c> Reader<'c> {
    fn over(code: &'c mut Code, file: &'c Path, text: &'c str, program: &Program<'_>) {
        let mut reader = Self {
            code,
            file,
            text,
            inside: Vec::new(),
            next_name: None,
        };
        reader.visit_program(program);
    }

    fn line(&self, offset: u32) -> usize {
        let before = self.text.get(..offset as usize).unwrap_or_default();
        before.matches('\n').count() + 1
    }

    fn note(&mut self, note: impl Fn(&mut FoundFunction)) {
        for number in &self.inside {
            if let Some(function) = self.code.functions.get_mut(*number) {
                note(function);
            }
        }
    }

    fn within(
        &mut self,
        name: Option<String>,
        params: &FormalParameters<'_>,
        walk: impl FnOnce(&mut Self),
    ) {
        let bound = self.next_name.take();
        let names = params.items.iter();
        let names = names.map(|one| {
            one.pattern
                .get_identifier_name()
                .map(|name| name.to_string())
        });
        self.code.functions.push(FoundFunction {
            file: self.file.to_owned(),
            name: name.or(bound),
            params: names.collect(),
            ..FoundFunction::default()
        });
        self.inside.push(self.code.functions.len() - 1);
        walk(self);
        self.inside.pop();
    }

    /// The number that a function gets when it is walked over, which comes next if it stands here.
    fn named(&self, value: &Expression<'_>) -> Option<Named> {
        match value {
            Expression::Identifier(name) => Some(Named::There(name.name.to_string())),
            _ if is_function(value) => Some(Named::Here(self.code.functions.len())),
            _ => None,
        }
    }
}

fn is_function(value: &Expression<'_>) -> bool {
    matches!(
        value,
        Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
    )
}

/// The last name of what is called.
fn called_name<'e>(callee: &'e Expression<'_>) -> Option<&'e str> {
    match callee {
        Expression::Identifier(name) => Some(name.name.as_str()),
        other => other.as_member_expression()?.static_property_name(),
    }
}

fn text_of(value: &Expression<'_>) -> Option<String> {
    match value {
        Expression::StringLiteral(text) => Some(text.value.to_string()),
        _ => None,
    }
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        let name = it.id.as_ref().map(|id| id.name.to_string());
        self.within(name, &it.params, |reader| {
            walk::walk_function(reader, it, flags)
        });
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.within(None, &it.params, |reader| {
            walk::walk_arrow_function_expression(reader, it)
        });
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        let is_one = it.init.as_ref().is_some_and(is_function);
        let name = it.id.get_identifier_name().filter(|_| is_one);
        self.next_name = name.map(|name| name.to_string());
        walk::walk_variable_declarator(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        let name = it.key.static_name().filter(|_| is_function(&it.value));
        self.next_name = name.map(|name| name.to_string());
        walk::walk_object_property(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.next_name = it.key.static_name().map(|name| name.to_string());
        walk::walk_method_definition(self, it);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.note(|function| function.waits = true);
        walk::walk_await_expression(self, it);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        let name = it.name.to_string();
        self.note(|function| function.mentions.extend([name.clone()]));
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        let name = it.property.name.to_string();
        self.note(|function| function.mentions.extend([name.clone()]));
        walk::walk_static_member_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        // A regular expression is asked with one argument.
        let name = called_name(&it.callee).filter(|name| {
            *name != "exec"
                || it.arguments.len() > 1
                || matches!(it.callee, Expression::Identifier(_))
        });
        if let Some(name) = name.map(str::to_owned) {
            self.note(|function| function.calls.extend([name.clone()]));
        }
        let event = it.arguments.first().and_then(Argument::as_expression);
        let event = event.and_then(text_of).filter(|_| name == Some("on"));
        let mut function = None;
        // As the walk goes on its own, but for a look at the number of the handler on the way.
        self.visit_expression(&it.callee);
        for (at, argument) in it.arguments.iter().enumerate() {
            if at == 1 {
                function = argument.as_expression().and_then(|value| self.named(value));
            }
            self.visit_argument(argument);
        }
        if let Some(event) = event.filter(|_| it.arguments.len() > 1) {
            self.code.handlers.push(FoundHandler {
                file: self.file.to_owned(),
                line_1based: self.line(it.span.start),
                event,
                function,
            });
        }
    }

    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        let start = it.span.start;
        let mut tool = FoundTool {
            file: self.file.to_owned(),
            line_1based: self.line(start),
            name: None,
            execute: None,
        };
        let mut has_parameters = false;
        // As the walk goes on its own, but for a look at the number of `execute` on the way.
        for property in &it.properties {
            if let ObjectPropertyKind::ObjectProperty(own) = property {
                match own.key.static_name().as_deref() {
                    Some("name") => tool.name = text_of(&own.value),
                    Some("parameters") => has_parameters = true,
                    Some("execute") => tool.execute = self.named(&own.value),
                    _ => {}
                }
            }
            self.visit_object_property_kind(property);
        }
        if has_parameters && tool.execute.is_some() {
            self.code.tools.push(tool);
        }
    }
}
