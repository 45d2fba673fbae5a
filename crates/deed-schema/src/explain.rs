use jsonschema::error::{TypeKind, ValidationErrorKind as Cause};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::{Map, Value};

use crate::faults::{Fault, Faults};
use crate::keywords::unescaped;
use crate::strict::kind_of;

const MISSING: &str = "required, but missing";
/// More than anybody reads; a list of a million wrong items has a million faults.
const MAX_FAULTS: usize = 200;
const MAX_LISTED: usize = 20;
const MAX_FORMS: usize = 4;
const MAX_QUOTED_CHARS: usize = 40;

/// Words what a validator finds wrong, missing fields first.
pub(crate) fn explain(validator: &Validator, value: &Value) -> Faults {
    let mut found = Vec::new();
    let faults = validator
        .iter_errors(value)
        .flat_map(|error| faults_of(value, &error));
    for fault in faults.take(MAX_FAULTS) {
        if !found.contains(&fault) {
            found.push(fault);
        }
    }
    found.sort_by_key(|fault| fault.reason() != MISSING);
    Faults::from_list(found)
}

fn faults_of(root: &Value, error: &ValidationError<'_>) -> Vec<Fault> {
    let path = dotted(error.instance_path().as_str());
    let at = |name: &str, reason: &str| Fault::new(joined(&path, name), reason);
    match error.kind() {
        Cause::Required { property } => {
            vec![at(
                property.as_str().unwrap_or_default(),
                "required, but missing",
            )]
        }
        Cause::AdditionalProperties { unexpected }
        | Cause::UnevaluatedProperties { unexpected } => unexpected
            .iter()
            .map(|name| at(name, "not a known field"))
            .collect(),
        Cause::AnyOf { context } | Cause::OneOfNotValid { context } => {
            of_branches(root, error, context)
        }
        Cause::FalseSchema if closes_an_object(error) => {
            let members = root
                .pointer(error.instance_path().as_str())
                .and_then(Value::as_object);
            let names = members.into_iter().flat_map(Map::keys);
            names.map(|name| at(name, "not a known field")).collect()
        }
        _ => vec![Fault::new(path, reason(error))],
    }
}

/// The validator reports `additionalProperties: false` without declared fields at the object.
fn closes_an_object(error: &ValidationError<'_>) -> bool {
    error
        .schema_path()
        .as_str()
        .ends_with("/additionalProperties")
}

/// Reports the one branch that the value was plainly meant for, or else what each form wants.
fn of_branches(
    root: &Value,
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
) -> Vec<Fault> {
    let path = &dotted(error.instance_path().as_str());
    let meant: Vec<_> = branches
        .iter()
        .filter(|errors| !of_another_type(path, errors))
        .collect();
    let named: Vec<_> = meant
        .iter()
        .copied()
        .filter(|errors| !errors.iter().any(is_other_name))
        .collect();
    let only = match (meant.as_slice(), named.as_slice()) {
        ([only], _) | (_, [only]) => Some(only),
        _ => None,
    };
    if let Some(only) = only {
        return only
            .iter()
            .flat_map(|error| faults_of(root, error))
            .collect();
    }
    if meant.is_empty() {
        let mut wanted: Vec<String> = Vec::new();
        for error in branches.iter().flatten() {
            if let Some(kinds) = kinds_of(error).filter(|kinds| !wanted.contains(kinds)) {
                wanted.push(kinds);
            }
        }
        let reason = format!(
            "expected {}, got {}",
            wanted.join(" or "),
            shown(error.instance())
        );
        return vec![Fault::new(path, reason)];
    }
    let forms = meant
        .iter()
        .filter_map(|errors| errors.first())
        .take(MAX_FORMS);
    let forms = forms.flat_map(|error| faults_of(root, error).into_iter().take(1));
    let wants: Vec<String> = forms
        .map(|fault| {
            match fault
                .path()
                .strip_prefix(path.as_str())
                .map(|rest| rest.trim_start_matches('.'))
            {
                Some("") | None => fault.reason().to_owned(),
                Some(inner) => format!("{inner} {}", fault.reason()),
            }
        })
        .collect();
    vec![Fault::new(
        path,
        format!("fits none of the allowed forms: {}", wants.join("; or ")),
    )]
}

fn of_another_type(path: &str, errors: &[ValidationError<'_>]) -> bool {
    errors.iter().any(|error| {
        matches!(error.kind(), Cause::Type { .. }) && dotted(error.instance_path().as_str()) == path
    })
}

/// Tells whether a field that names the form, such as `kind`, names another one.
fn is_other_name(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), Cause::Constant { .. } | Cause::Enum { .. })
}

fn kinds_of(error: &ValidationError<'_>) -> Option<String> {
    match error.kind() {
        Cause::Type {
            kind: TypeKind::Single(kind),
        } => Some(kind.to_string()),
        Cause::Type {
            kind: TypeKind::Multiple(kinds),
        } => {
            let (null, other): (Vec<_>, Vec<_>) =
                kinds.iter().partition(|kind| *kind == JsonType::Null);
            let names = other.iter().chain(&null).map(ToString::to_string);
            Some(names.collect::<Vec<_>>().join(" or "))
        }
        _ => None,
    }
}

fn reason(error: &ValidationError<'_>) -> String {
    let got = || shown(error.instance());
    match error.kind() {
        Cause::Type { .. } => {
            format!(
                "expected {}, got {}",
                kinds_of(error).unwrap_or_default(),
                got()
            )
        }
        Cause::Enum { options } => format!("must be one of {}, got {}", listed(options), got()),
        Cause::Constant { expected_value } => format!("must be {expected_value}, got {}", got()),
        Cause::Minimum { limit } => format!("must be at least {limit}, got {}", got()),
        Cause::Maximum { limit } => format!("must be at most {limit}, got {}", got()),
        Cause::ExclusiveMinimum { limit } => format!("must be more than {limit}, got {}", got()),
        Cause::ExclusiveMaximum { limit } => format!("must be less than {limit}, got {}", got()),
        Cause::MultipleOf { multiple_of } => {
            format!("must be a multiple of {multiple_of}, got {}", got())
        }
        Cause::MinLength { limit: 1 } => "must not be empty".to_owned(),
        Cause::MinLength { limit } => {
            format!("must have at least {}", counted(*limit, "character"))
        }
        Cause::MaxLength { limit } => format!("must have at most {}", counted(*limit, "character")),
        Cause::MinItems { limit } => format!("must have at least {}", counted(*limit, "item")),
        Cause::MaxItems { limit } => format!("must have at most {}", counted(*limit, "item")),
        Cause::AdditionalItems { limit } => {
            format!("must have at most {}", counted(*limit as u64, "item"))
        }
        Cause::MinProperties { limit } => {
            format!("must have at least {}", counted(*limit, "field"))
        }
        Cause::MaxProperties { limit } => format!("must have at most {}", counted(*limit, "field")),
        Cause::UniqueItems => "no two items may be equal".to_owned(),
        Cause::Pattern { pattern } => format!("must match the pattern {pattern}, got {}", got()),
        Cause::Format { format } => format!("must be a valid {format}, got {}", got()),
        Cause::PropertyNames { error: inner } => {
            format!(
                "the field name {}: {}",
                shown(inner.instance()),
                reason(inner)
            )
        }
        _ => rare_reason(error),
    }
}

fn rare_reason(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Cause::FalseSchema => "not allowed here".to_owned(),
        Cause::Not { .. } => "has a form that is not allowed".to_owned(),
        Cause::Contains => {
            "holds no item, or the wrong number of items, of the wanted form".to_owned()
        }
        Cause::OneOfMultipleValid { .. } => {
            "fits more than one of the allowed forms, and must fit exactly one".to_owned()
        }
        Cause::UnevaluatedItems { .. } => "holds items that are not allowed".to_owned(),
        Cause::ContentEncoding {
            content_encoding: form,
        }
        | Cause::ContentMediaType {
            content_media_type: form,
        } => format!("must be valid {form}"),
        Cause::BacktrackLimitExceeded { .. } | Cause::RegexEngineFailure { .. } => {
            "too costly to match against the pattern of the schema".to_owned()
        }
        _ => error.masked().to_string(),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => match text.char_indices().nth(MAX_QUOTED_CHARS) {
            Some((end, _)) => format!("{}…", Value::from(text.get(..end).unwrap_or_default())),
            None => value.to_string(),
        },
        Value::Array(_) | Value::Object(_) => kind_of(value).to_owned(),
        other => other.to_string(),
    }
}

fn listed(options: &Value) -> String {
    let Value::Array(members) = options else {
        return options.to_string();
    };
    let shown: Vec<_> = members
        .iter()
        .take(MAX_LISTED)
        .map(Value::to_string)
        .collect();
    match members.len().saturating_sub(MAX_LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

fn dotted(pointer: &str) -> String {
    pointer
        .split('/')
        .skip(1)
        .map(unescaped)
        .collect::<Vec<_>>()
        .join(".")
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
