use oxc_ast::ast::{
    Argument, CallExpression, ComputedMemberExpression, ExportAllDeclaration,
    ExportFromDeclaration, Expression, ImportDeclaration, ImportDeclarationSpecifier,
    ImportExpression, ModuleExportName, Program, StaticMemberExpression,
};
use oxc_ast_visit::{VisitJs as Visit, walk_js as walk};

use super::{Used, Wants};
use crate::resolve::Asked;

/// Something that a file wants loaded.
pub(super) struct Request {
    pub(super) specifier: String,
    /// Which names of it; `None` for all.
    pub(super) names: Option<Vec<String>>,
    pub(super) line_1based: usize,
    pub(super) asked: Asked,
}

/// Walks over a file and notes what it uses.
pub(super) struct Looker {
    /// Where lines begin.
    lines: Vec<u32>,
    pub(super) requests: Vec<Request>,
    pub(super) wants: Wants,
    /// Members of objects that have a name, with the line.
    pub(super) members: Vec<(usize, Used)>,
}

impl Looker {
    pub(super) fn over(program: &Program<'_>, text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let mut looker = Self {
            lines: breaks
                .map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX))
                .collect(),
            requests: Vec::new(),
            wants: Wants::default(),
            members: Vec::new(),
        };
        looker.visit_program(program);
        looker
    }

    fn line(&self, offset: u32) -> usize {
        self.lines.partition_point(|line| *line < offset) + 1
    }

    fn request(&mut self, specifier: &str, names: Option<Vec<String>>, offset: u32, asked: Asked) {
        let line_1based = self.line(offset);
        self.requests.push(Request {
            specifier: specifier.to_owned(),
            names,
            line_1based,
            asked,
        });
    }

    fn member(&mut self, object: &Expression<'_>, member: &str, offset: u32) {
        if is_environment(object) {
            self.wants.variables.insert(member.to_owned());
        } else if let Some(object) = last_name(object) {
            let used = Used::Member {
                object: object.to_owned(),
                member: member.to_owned(),
            };
            self.members.push((self.line(offset), used));
        }
    }
}

/// Tells whether an expression is `process.env`.
fn is_environment(expression: &Expression<'_>) -> bool {
    expression.is_specific_member_access("process", "env")
}

/// Returns the last name of `a` or `x.a`.
fn last_name<'e>(expression: &'e Expression<'_>) -> Option<&'e str> {
    match expression {
        Expression::Identifier(name) => Some(name.name.as_str()),
        other => other.as_member_expression()?.static_property_name(),
    }
}

fn name_of(name: &ModuleExportName<'_>) -> String {
    name.name().to_string()
}

impl<'a> Visit<'a> for Looker {
    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let specifiers = it.specifiers.iter().flatten();
        let names = specifiers.map(|specifier| match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(named) => Some(name_of(&named.imported)),
            _ => None,
        });
        let names = names.collect::<Option<Vec<_>>>();
        self.request(&it.source.value, names, it.span.start, Asked::Import);
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        self.request(&it.source.value, None, it.span.start, Asked::Import);
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        let names = it.specifiers.iter();
        let names = names.map(|specifier| name_of(&specifier.local)).collect();
        self.request(&it.source.value, Some(names), it.span.start, Asked::Import);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        match &it.source {
            Expression::StringLiteral(name) => {
                self.request(&name.value, None, it.span.start, Asked::Import);
            }
            _ => self.wants.other_modules = true,
        }
        walk::walk_import_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let first = it.arguments.first();
        match &it.callee {
            Expression::Identifier(name) if name.name == "require" => match first {
                Some(Argument::StringLiteral(name)) => {
                    self.request(&name.value, None, it.span.start, Asked::Require);
                }
                _ => self.wants.other_modules = true,
            },
            Expression::Identifier(name) if name.name == "fetch" => self.wants.connects(),
            // A regular expression is asked with one argument.
            Expression::StaticMemberExpression(member)
                if member.property.name == "exec" && it.arguments.len() > 1 =>
            {
                self.wants.runs();
            }
            _ => {}
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.member(&it.object, &it.property.name, it.span.start);
        // What `process.env` itself is part of has been looked at.
        if !is_environment(&it.object) {
            if it.object.is_specific_id("process") && it.property.name == "env" {
                self.wants.other_variables = true;
            }
            walk::walk_static_member_expression(self, it);
        }
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        match it.static_property_name() {
            Some(name) => self.member(&it.object, &name, it.span.start),
            None if is_environment(&it.object) => self.wants.other_variables = true,
            None => {}
        }
        match is_environment(&it.object) {
            true => self.visit_expression(&it.expression),
            false => walk::walk_computed_member_expression(self, it),
        }
    }
}
