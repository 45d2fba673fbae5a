//! The ways in which a value is written.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Returns a value and its other forms, each once.
pub(super) fn forms_of(value: &str) -> BTreeSet<Vec<u8>> {
    let mut forms = BTreeSet::from([value.to_owned()]);
    forms.extend(base64_forms(value));
    forms.extend(url_forms(value));
    forms.extend(json_forms(value));
    forms.into_iter().map(String::into_bytes).collect()
}

/// The characters that stay the same whatever comes before and after, for each of the three
/// positions of the value in groups of three bytes; and the whole where the value stands alone.
fn base64_forms(value: &str) -> Vec<String> {
    let mut forms = vec![STANDARD.encode(value)];
    for bytes_before in 0..3 {
        let mut bytes = vec![0; bytes_before];
        bytes.extend_from_slice(value.as_bytes());
        let core = (bytes_before * 8).div_ceil(6)..bytes.len() * 8 / 6;
        let encoded = [
            STANDARD_NO_PAD.encode(&bytes),
            URL_SAFE_NO_PAD.encode(&bytes),
        ];
        let cores = encoded.iter().filter_map(|text| text.get(core.clone()));
        forms.extend(cores.map(str::to_owned));
    }
    forms
}

fn url_forms(value: &str) -> Vec<String> {
    const KEPT: &[&str] = &["-_.~", "-_.~!*'()", "-_.~/", "-_.*", ";,/?:@&=+$-_.!~*'()#"];
    let mut forms = Vec::new();
    for kept in KEPT {
        for (space, is_upper) in [("%20", true), ("%20", false), ("+", true), ("+", false)] {
            let encoded = value.bytes().map(|byte| match byte {
                b' ' => space.to_owned(),
                _ if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) => {
                    char::from(byte).to_string()
                }
                _ if is_upper => format!("%{byte:02X}"),
                _ => format!("%{byte:02x}"),
            });
            forms.push(encoded.collect());
        }
    }
    forms
}

fn json_forms(value: &str) -> Vec<String> {
    let quoted = serde_json::Value::from(value).to_string();
    let escaped = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    let mut forms = vec![escaped.to_owned(), escaped.replace('/', "\\/")];
    for is_upper in [false, true] {
        let mut ascii = String::new();
        for c in escaped.chars() {
            if c.is_ascii() {
                ascii.push(c);
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                ascii.push_str(&if is_upper {
                    format!("\\u{unit:04X}")
                } else {
                    format!("\\u{unit:04x}")
                });
            }
        }
        forms.push(ascii);
    }
    forms
}
