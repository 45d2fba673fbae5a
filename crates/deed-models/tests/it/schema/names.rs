//! Names of tools on the wire.

use std::collections::HashSet;
use std::sync::Arc;

use deed_models::schema::{MAX_NAME_LENGTH, ToolNames, wire_name};
use proptest::prelude::*;

fn names(list: &[&str]) -> ToolNames {
    ToolNames::new(list.iter().map(|name| Arc::from(*name)))
}

fn is_valid(name: &str) -> bool {
    name.len() <= MAX_NAME_LENGTH
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[test]
fn b166_a_long_name_is_shortened_with_a_hash_of_all_of_it() {
    let long = format!("{}__{}", "s".repeat(40), "t".repeat(40));
    let wire = wire_name(&long);
    assert!(is_valid(&wire));
    assert_eq!(
        wire,
        "ssssssssssssssssssssssssssssssssssssssss__ttttttttt_f96fd6cbf145"
    );
    let table = names(&[&long]);
    assert_eq!(table.wire(&long), wire);
    assert_eq!(*table.real(&wire), *long);
}

#[test]
fn b167_names_that_differ_in_the_middle_or_at_the_end_stay_apart() {
    let base = "x".repeat(80);
    let middle = format!("{}y{}", "x".repeat(40), "x".repeat(39));
    let end = format!("{}y", "x".repeat(79));
    let wires: HashSet<_> = [&base, &middle, &end].map(|it| wire_name(it)).into();
    assert_eq!(wires.len(), 3);
}

#[test]
fn b169_names_of_object_members_are_ordinary() {
    let table = names(&["constructor", "__proto__", "toString"]);
    for name in ["constructor", "__proto__", "toString"] {
        assert_eq!(table.wire(name), name);
        assert_eq!(&*table.real(name), name);
    }
}

#[test]
fn a_name_that_is_made_never_takes_that_of_another_tool() {
    let odd = "odd name";
    let taken = wire_name(odd).into_owned();
    for list in [[odd, &taken], [&taken, odd]] {
        let table = names(&list);
        assert_eq!(table.wire(&taken), taken);
        assert_ne!(table.wire(odd), taken);
        assert_eq!(&*table.real(&table.wire(odd)), odd);
    }
}

#[test]
fn a_name_that_the_model_made_up_stays_as_it_is() {
    assert_eq!(&*names(&["read"]).real("no_such_tool"), "no_such_tool");
}

proptest! {
    #[test]
    fn b167_names_are_valid_distinct_and_lead_back(
        list in prop::collection::hash_set(".{0,3}|[a-z/ ]{60,80}|x{62,66}", 0..12),
    ) {
        let list: Vec<Arc<str>> = list.iter().map(|name| Arc::from(name.as_str())).collect();
        let table = ToolNames::new(list.iter().cloned());
        let turned = ToolNames::new(list.iter().rev().cloned());
        let mut seen = HashSet::new();
        for name in &list {
            let wire = table.wire(name);
            prop_assert!(is_valid(&wire), "{wire}");
            prop_assert_eq!(&wire, &turned.wire(name));
            prop_assert_eq!(table.real(&wire), name.clone());
            prop_assert!(seen.insert(wire.into_owned()));
        }
    }
}
