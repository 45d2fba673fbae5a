//! What a parsed statement does: a list of what is known to read; whatever is not on it does not.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, ObjectName, ObjectNamePart, Query, Select, SelectFlavor, Statement, TableAlias,
    TableFactor, Visit, Visitor,
};
use sqlparser::dialect::Dialect as Grammar;
use sqlparser::parser::Parser;

use super::{Classified, SqlClass, functions, is_reading_pragma};
use crate::Dialect;

mod expr;
mod types;

/// Classifies one statement; `None` if the parser does not understand it.
pub(super) fn classify(dialect: Dialect, grammar: &dyn Grammar, text: &str) -> Option<Classified> {
    let statements = Parser::parse_sql(grammar, text).ok()?;
    let [statement] = statements.as_slice() else {
        return None;
    };
    let mut walk = Walk {
        dialect,
        found: Classified::new(SqlClass::Read, "it only reads"),
    };
    match statement.visit(&mut walk) {
        ControlFlow::Continue(()) | ControlFlow::Break(()) => Some(walk.found),
    }
}

struct Walk {
    dialect: Dialect,
    found: Classified,
}

impl Walk {
    fn raise(&mut self, class: SqlClass, reason: impl Into<String>) {
        self.found.raise(class, reason);
    }

    /// Notes that something is not known to read.
    fn uncertain(&mut self, what: &str) {
        let class = match self.dialect {
            Dialect::Postgres => SqlClass::Write,
            Dialect::Sqlite => SqlClass::Invalid,
        };
        self.raise(
            class,
            format!("{what} in it could not be read with certainty"),
        );
    }

    fn function(&mut self, name: &ObjectName) {
        match self.function_name(name) {
            Some(name) => {
                let (class, reason) = functions::class(self.dialect, &name);
                self.raise(class, reason);
            }
            None => {
                let class = match self.dialect {
                    Dialect::Postgres => SqlClass::Write,
                    Dialect::Sqlite => SqlClass::SideEffect,
                };
                let reason = format!("{name}() is not a function of the engine itself");
                self.raise(class, reason);
            }
        }
    }

    /// Returns the name of a function of the engine itself, folded as the engine does.
    fn function_name(&self, name: &ObjectName) -> Option<String> {
        let mut parts = name.0.iter().map(ObjectNamePart::as_ident);
        match (self.dialect, parts.next()?, parts.next(), parts.next()) {
            (_, Some(name), None, None) => Some(folded(name)),
            (Dialect::Postgres, Some(schema), Some(Some(name)), None)
                if folded(schema) == "pg_catalog" =>
            {
                Some(folded(name))
            }
            _ => None,
        }
    }

    fn alias(&mut self, alias: Option<&TableAlias>) {
        for column in alias.into_iter().flat_map(|alias| &alias.columns) {
            if let Some(data_type) = &column.data_type {
                self.data_type(data_type);
            }
        }
    }

    fn relation(&mut self, name: &ObjectName) {
        let Some(ident) = name.0.last().and_then(ObjectNamePart::as_ident) else {
            return self.uncertain("a name of a table");
        };
        if ident.quote_style == Some('\'') {
            let reason = "a text stands where the name of a table must be, and files are no tables";
            return self.raise(SqlClass::Invalid, reason);
        }
        if self.dialect == Dialect::Sqlite {
            self.sqlite_relation(&ident.value.to_ascii_lowercase());
        }
    }

    fn sqlite_relation(&mut self, name: &str) {
        if name == "dbstat" {
            self.raise(SqlClass::Resource, "dbstat reads the whole database");
        } else if let Some(pragma) = name.strip_prefix("pragma_")
            && !is_reading_pragma(pragma, true)
            && !is_reading_pragma(pragma, false)
        {
            let reason = format!("{name} is a PRAGMA that does more than read");
            self.raise(SqlClass::Session, reason);
        }
    }

    fn table(&mut self, factor: &TableFactor) {
        let TableFactor::Table {
            name,
            alias,
            args,
            with_hints,
            version,
            partitions,
            json_path,
            sample,
            ..
        } = factor
        else {
            return;
        };
        self.alias(alias.as_ref());
        let is_plain = with_hints.is_empty()
            && version.is_none()
            && partitions.is_empty()
            && json_path.is_none()
            && sample.is_none();
        if !is_plain {
            self.uncertain("a table");
        }
        match args {
            Some(_) if self.dialect == Dialect::Sqlite && is_pragma(name) => self.relation(name),
            Some(_) => self.function(name),
            None => self.relation(name),
        }
    }
}

impl Visitor for Walk {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        match statement {
            Statement::Query(_) | Statement::Explain { .. } => {}
            Statement::ShowVariable { .. } if self.dialect == Dialect::Postgres => {}
            Statement::Insert(_) => self.raise(SqlClass::Write, "an INSERT in it changes rows"),
            Statement::Update(_) => self.raise(SqlClass::Write, "an UPDATE in it changes rows"),
            Statement::Delete(_) => self.raise(SqlClass::Write, "a DELETE in it changes rows"),
            Statement::Merge(_) => self.raise(SqlClass::Write, "a MERGE in it changes rows"),
            Statement::CreateTable(_) => {
                self.raise(SqlClass::Write, "a CREATE TABLE in it makes a table");
            }
            _ => self.uncertain("a statement"),
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if !query.locks.is_empty() {
            self.raise(SqlClass::Write, "FOR UPDATE or FOR SHARE in it locks rows");
        }
        if query.with.as_ref().is_some_and(|with| with.recursive) {
            self.raise(SqlClass::Resource, "WITH RECURSIVE in it may have no end");
        }
        let is_plain = query.for_clause.is_none()
            && query.settings.is_none()
            && query.format_clause.is_none()
            && query.pipe_operators.is_empty();
        if !is_plain {
            self.uncertain("a query");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.into.is_some() {
            self.raise(SqlClass::Write, "INTO in it makes a table");
        }
        let is_plain = select.select_modifiers.is_none()
            && select.top.is_none()
            && select.exclude.is_none()
            && select.lateral_views.is_empty()
            && select.prewhere.is_none()
            && select.connect_by.is_empty()
            && select.cluster_by.is_empty()
            && select.distribute_by.is_empty()
            && select.sort_by.is_empty()
            && select.qualify.is_none()
            && select.value_table_mode.is_none()
            && select.flavor == SelectFlavor::Standard;
        if !is_plain {
            self.uncertain("a SELECT");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { .. } => self.table(factor),
            TableFactor::Function { name, alias, .. } => {
                self.alias(alias.as_ref());
                self.function(name);
            }
            TableFactor::Derived { alias, sample, .. } => {
                self.alias(alias.as_ref());
                if sample.is_some() {
                    self.uncertain("a sample");
                }
            }
            TableFactor::UNNEST { alias, .. } => self.alias(alias.as_ref()),
            TableFactor::NestedJoin { alias, .. } => self.alias(alias.as_ref()),
            _ => self.uncertain("a table"),
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) => self.function(&function.name),
            Expr::Cast { data_type, .. } => self.data_type(data_type),
            Expr::TypedString(text) => self.data_type(&text.data_type),
            _ if expr::is_plain(expr) => {}
            _ => self.uncertain("an expression"),
        }
        ControlFlow::Continue(())
    }
}

fn is_pragma(name: &ObjectName) -> bool {
    let ident = name.0.last().and_then(ObjectNamePart::as_ident);
    ident.is_some_and(|ident| ident.value.to_ascii_lowercase().starts_with("pragma_"))
}

/// Returns the name in the case that counts.
pub(super) fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_ascii_lowercase(),
    }
}
