//! A reader of pages that is stricter than any browser: it knows only what an export may write.

use std::collections::HashSet;

const VOID: [&str; 4] = ["br", "hr", "img", "meta"];
const BLOCKS: &str = "html head body title style main nav header article section div p h1 h2 h3 h4 h5 h6 \
     ul ol li dl dt dd table thead tbody tr th td pre blockquote figure figcaption details summary";
const PHRASES: &str = "a span code strong em del ins mark time label progress";
/// Elements that hold text and phrases alone.
const PHRASED: &str = "p h1 h2 h3 h4 h5 h6 pre dt figcaption summary title";
const ATTRIBUTES: &str = "alt aria-label aria-labelledby charset class content data-language datetime height href \
     http-equiv id lang max name rel role scope src start tabindex value width";

/// Fails unless the page is whole, balanced, and holds nothing that acts or loads.
pub(crate) fn check(page: &str) {
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    let mut open: Vec<&str> = Vec::new();
    let mut ids = HashSet::new();
    let mut targets = Vec::new();
    while let Some((text, after)) = rest.split_once('<') {
        check_text(text);
        let (tag, later) = after.split_once('>').unwrap();
        rest = later;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag} near {:.200}", rest);
            continue;
        }
        let (name, attributes) = parts(tag);
        check_place(name, &open);
        for (attribute, value) in attributes {
            check_attribute(name, attribute, value);
            match attribute {
                "id" => assert!(ids.insert(value), "two elements are called {value}"),
                "href" => targets.extend(value.strip_prefix('#')),
                "aria-labelledby" => targets.push(value),
                _ => {}
            }
        }
        if name == "style" {
            let (style, later) = rest.split_once("</style>").unwrap();
            assert!(!style.contains('<') && !style.contains("url(") && !style.contains("@import"));
            rest = later;
        } else if !VOID.contains(&name) {
            open.push(name);
        }
    }
    check_text(rest);
    assert!(open.is_empty(), "{open:?}");
    for target in targets {
        assert!(ids.contains(target), "nothing is called {target}");
    }
}

fn check_text(text: &str) {
    assert!(!text.contains('>'), "{text}");
    let odd = text.chars().find(|&c| is_odd(c));
    assert_eq!(odd, None, "{text:?}");
}

fn is_odd(c: char) -> bool {
    let is_control = c.is_control() && c != '\n' && c != '\t';
    is_control
        || matches!(c, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_among(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}

/// The name of an element and its attributes.
fn parts(tag: &str) -> (&str, Vec<(&str, &str)>) {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    while !rest.is_empty() {
        let (attribute, after) = rest.split_once("=\"").unwrap();
        let (value, later) = after.split_once('"').unwrap();
        attributes.push((attribute, value));
        assert!(later.is_empty() || later.starts_with(' '), "{tag}");
        rest = later.trim_start_matches(' ');
    }
    (name, attributes)
}

fn check_place(name: &str, open: &[&str]) {
    let is_known = VOID.contains(&name) || is_among(BLOCKS, name) || is_among(PHRASES, name);
    assert!(is_known, "{name}");
    assert!(
        !open.contains(&"title"),
        "{name} in a title is read as text"
    );
    let is_phrase = is_among(PHRASES, name) || matches!(name, "br" | "img");
    let parent = open.last().copied().unwrap_or_default();
    let phrased = open
        .iter()
        .find(|outer| is_among(PHRASED, outer) || is_among(PHRASES, outer));
    assert!(is_phrase || phrased.is_none(), "{name} in {open:?}");
    let parents = match name {
        "li" => "ul ol",
        "tr" => "thead tbody",
        "th" | "td" => "tr",
        "thead" | "tbody" => "table",
        "dt" | "dd" => "dl div",
        "summary" => "details",
        "a" => {
            assert!(!open.contains(&"a"), "a link in a link");
            return;
        }
        _ => return,
    };
    assert!(is_among(parents, parent), "{name} in {parent}");
}

fn check_attribute(name: &str, attribute: &str, value: &str) {
    assert!(is_among(ATTRIBUTES, attribute), "{attribute} of {name}");
    check_text(value);
    let begins = |starts: &[&str]| starts.iter().any(|start| value.starts_with(start));
    match attribute {
        "href" => {
            let lower = value.to_ascii_lowercase();
            let is_safe = ["#", "https://", "http://", "mailto:"];
            assert!(
                is_safe.iter().any(|start| lower.starts_with(start)),
                "{value}"
            );
            assert!(!value.contains(char::is_whitespace), "{value}");
        }
        "src" => assert!(begins(&[
            "data:image/png;base64,",
            "data:image/jpeg;base64,",
            "data:image/gif;base64,",
            "data:image/webp;base64,",
        ])),
        "id" => assert!(
            value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)),
            "{value}"
        ),
        _ => {}
    }
}
