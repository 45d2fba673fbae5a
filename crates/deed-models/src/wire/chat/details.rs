use serde_json::{Map, Value};

/// What gateways send of a model's thoughts in the form that must go back unchanged.
///
/// Source: OpenRouter, "Reasoning tokens": `reasoning_details` come in pieces that belong together
/// by `type` and `index`.
#[derive(Debug, Default)]
pub(super) struct Details(Vec<Map<String, Value>>);

/// Members that grow from piece to piece.
const GROWING: &[&str] = &["text", "summary"];

impl Details {
    /// Takes a piece: an array of details.
    pub(super) fn take(&mut self, pieces: &str) {
        let Ok(pieces) = serde_json::from_str::<Vec<Map<String, Value>>>(pieces) else {
            return;
        };
        for piece in pieces {
            let same = self
                .0
                .last_mut()
                .filter(|last| belong_together(last, &piece));
            match same {
                Some(last) => append(last, piece),
                None => self.0.push(piece),
            }
        }
    }

    /// Returns all of them as JSON text; `None` if there are none.
    pub(super) fn to_text(&self) -> Option<String> {
        let whole = || serde_json::to_string(&self.0).ok();
        (!self.0.is_empty()).then(whole)?
    }
}

fn belong_together(last: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let grows = GROWING
        .iter()
        .any(|name| piece.get(*name).is_some_and(Value::is_string));
    let is_signed_end = piece.contains_key("signature");
    let same = |name: &str| last.get(name) == piece.get(name);
    (grows || is_signed_end) && same("type") && same("index")
}

fn append(last: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (name, value) in piece {
        match (last.get_mut(&name), value) {
            (Some(Value::String(old)), Value::String(new)) if GROWING.contains(&name.as_str()) => {
                old.push_str(&new);
            }
            (_, Value::Null) => {}
            (_, value) => {
                last.insert(name, value);
            }
        }
    }
}
