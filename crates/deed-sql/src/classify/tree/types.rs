use sqlparser::ast::{ArrayElemTypeDef, DataType, ObjectName, ObjectNamePart};

use super::{Walk, folded};
use crate::{Dialect, SqlClass};

/// The types of `pg_catalog` that the parser has no name of its own for. Others were defined by
/// somebody: a domain runs its check, a type its input function.
///
/// Source: `pg_type` of PostgreSQL 15.18 without pseudo-types.
const POSTGRES_TYPES: &str = "aclitem bit bool box bpchar bytea char cid cidr circle date \
     datemultirange daterange float4 float8 inet int2 int2vector int4 int4multirange int4range int8 \
     int8multirange int8range interval json jsonb jsonpath line lseg macaddr macaddr8 money name \
     numeric nummultirange numrange oid oidvector path pg_lsn pg_snapshot point polygon refcursor \
     regclass regcollation regconfig regdictionary regnamespace regoper regoperator regproc \
     regprocedure regrole regtype text tid time timestamp timestamptz timetz tsmultirange tsquery \
     tsrange tstzmultirange tstzrange tsvector txid_snapshot uuid varbit varchar xid xid8 xml";

impl Walk {
    /// Looks at a type that a value is brought into.
    pub(super) fn data_type(&mut self, data_type: &DataType) {
        match data_type {
            // A cast in SQLite takes any name and runs no code.
            _ if self.dialect == Dialect::Sqlite => {}
            DataType::Custom(name, _) if is_own(name) => {}
            DataType::Custom(name, _) => {
                let reason =
                    format!("the type {name} is not one of PostgreSQL's own and may run code");
                self.found.raise(SqlClass::Write, reason);
            }
            DataType::Array(
                ArrayElemTypeDef::SquareBracket(element, _)
                | ArrayElemTypeDef::Qualified(element, _),
            ) => self.data_type(element),
            DataType::Array(_)
            | DataType::Table(_)
            | DataType::NamedTable { .. }
            | DataType::Map(..)
            | DataType::Tuple(_)
            | DataType::Nested(_)
            | DataType::Object(_)
            | DataType::Enum(..)
            | DataType::Set(_)
            | DataType::Struct(..)
            | DataType::Union(_)
            | DataType::Nullable(_)
            | DataType::LowCardinality(_)
            | DataType::Collate(..) => self.uncertain("a type"),
            _ => {}
        }
    }
}

fn is_own(name: &ObjectName) -> bool {
    let parts: Option<Vec<String>> = name
        .0
        .iter()
        .map(|part| ObjectNamePart::as_ident(part).map(folded))
        .collect();
    let name = match parts.as_deref() {
        Some([name]) => name,
        Some([schema, name]) if schema == "pg_catalog" => name,
        _ => return false,
    };
    POSTGRES_TYPES
        .split_ascii_whitespace()
        .any(|known| known == name)
}
