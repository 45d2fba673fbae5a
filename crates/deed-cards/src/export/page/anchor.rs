use crate::export::item::ExportEntry;
use crate::export::words;
use crate::html::write::Html;

/// The anchor of an entry: different for different ids, whatever is in them.
pub(super) fn anchor(id: &str) -> String {
    if id.is_empty() {
        return String::new();
    }
    let mut anchor = String::from("entry-");
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            anchor.push(char::from(byte));
        } else {
            anchor.push_str(&format!("_{byte:02x}"));
        }
    }
    anchor
}

/// Draws when it happened, as a link to the entry if it has an anchor.
pub(super) fn draw_moment(entry: ExportEntry<'_>, html: &mut Html) {
    let Some(at_ms) = entry.at_ms else { return };
    let moment = words::moment(at_ms);
    if moment.is_empty() {
        return;
    }
    html.raw(" ");
    let id = anchor(entry.id);
    if !id.is_empty() {
        html.open_with("a", "page-when", &[("href", &format!("#{id}"))]);
    }
    let machine = words::machine_moment(at_ms);
    html.open_with("time", "page-when", &[("datetime", &machine)]);
    html.plain(&moment);
    html.close("time");
    if !id.is_empty() {
        html.close("a");
    }
}
