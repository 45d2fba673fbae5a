//! Sessions as files.

mod checker;
mod document;
mod hostile;
mod page;
mod sample;
mod stream;

use deed_cards::{Export, ExportEntry, ExportFormat, ExportHead, ExportItem};

type Item<'a> = (ExportEntry<'a>, ExportItem<'a>);

/// Exports items, each with its entry.
fn export(format: ExportFormat, head: &ExportHead<'_>, items: &[Item<'_>]) -> String {
    let mut export = Export::begin(Vec::new(), format, head).unwrap();
    for (entry, item) in items {
        export.item(*entry, item).unwrap();
    }
    String::from_utf8(export.finish().unwrap()).unwrap()
}

/// Exports items, each as an entry of its own.
fn export_items(format: ExportFormat, items: &[ExportItem<'_>]) -> String {
    let ids: Vec<_> = (0..items.len()).map(|at| format!("e{at}")).collect();
    let entries = ids.iter().map(|id| ExportEntry { id, at_ms: None });
    let items: Vec<_> = entries.zip(items.iter().copied()).collect();
    export(format, &ExportHead::default(), &items)
}

/// What stands in `main` for one answer.
fn answer(text: &str) -> String {
    let page = export_items(ExportFormat::Html, &[ExportItem::Answer(text)]);
    checker::check(&page);
    let (_, rest) = page.split_once("<div class=\"prose\">").unwrap();
    let (drawn, _) = rest.rsplit_once("</div>\n</article>\n</main>").unwrap();
    drawn.to_owned()
}
