use deed_agent::{ConstrainedSampling, ToolSpec};
use serde_json::Value;

/// What the one text that a tool takes must look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grammar<'a> {
    /// The argument that is the text.
    pub argument: &'a str,
    /// How the definition is written: `lark` or `regex`.
    pub syntax: &'static str,
    /// The definition.
    pub definition: &'a str,
}

/// Returns the grammar of a tool, the one in Lark form before the one that is a regular expression.
///
/// Shape: `None` also for a tool whose schema does not demand exactly one argument, a text: it is
/// declared by its schema.
pub fn grammar(tool: &ToolSpec) -> Option<Grammar<'_>> {
    let ConstrainedSampling::Grammar { lark, regex } = &tool.constrained_sampling else {
        return None;
    };
    let (syntax, definition) = match (lark, regex) {
        (Some(lark), _) => ("lark", lark),
        (None, Some(regex)) => ("regex", regex),
        (None, None) => return None,
    };
    Some(Grammar {
        argument: only_text(tool.parameters.as_value())?,
        syntax,
        definition,
    })
}

/// Returns the name of the one argument that a schema demands, if it is a text.
fn only_text(schema: &Value) -> Option<&str> {
    let [Value::String(name)] = schema.get("required")?.as_array()?.as_slice() else {
        return None;
    };
    let property = schema.get("properties")?.get(name)?;
    let is_text = property.get("type").and_then(Value::as_str) == Some("string");
    is_text.then_some(name)
}
