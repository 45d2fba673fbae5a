//! Tying entries to the ones before them.

use std::path::Path;
use std::sync::Arc;

use super::diagnostic;
use crate::diagnostic::{Diagnostic, Finding};
use crate::index::{Index, SlotNumber};
use crate::tree::EntryId;

/// An entry whose parent was not above it.
pub(super) struct Waiting {
    pub(super) slot: SlotNumber,
    pub(super) parent: EntryId,
    /// The entry before it, if lines between the two cannot be read.
    pub(super) neighbour: Option<SlotNumber>,
}

/// Finds the parents that stand below their children, and makes do where there is none.
pub(super) fn settle(
    index: &mut Index,
    waiting: Vec<Waiting>,
    path: &Arc<Path>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut is_ring_possible = false;
    for one in waiting {
        let (id, line) = match index.get(one.slot) {
            Some(slot) => (slot.id.clone(), slot.line_1based),
            None => continue,
        };
        let own = index.number_of(&one.parent);
        let what = match (own, one.neighbour) {
            (Some(parent), _) => {
                index.set_parent(one.slot, Some(parent));
                is_ring_possible = true;
                continue;
            }
            (None, Some(neighbour)) => {
                index.set_parent(one.slot, Some(neighbour));
                Finding::AdoptedParent {
                    id,
                    parent: one.parent,
                    adopted_by: index.shared_id(neighbour),
                }
            }
            (None, None) => Finding::MissingParent {
                id,
                parent: one.parent,
            },
        };
        diagnostics.push(diagnostic(path, Some(line), what));
    }
    if is_ring_possible {
        open_rings(index, path, diagnostics);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Not,
    OnThisWalk,
    Before,
}

/// Opens each ring of entries at the one that stands first in the file.
fn open_rings(index: &mut Index, path: &Arc<Path>, diagnostics: &mut Vec<Diagnostic>) {
    let mut visits = vec![Visit::Not; index.len()];
    for start in 0..index.len() {
        let mut walk = Vec::new();
        let mut next = SlotNumber::try_from(start).ok();
        while let Some(number) = next
            && let Some(visit) = visits.get_mut(number as usize)
        {
            match *visit {
                Visit::Before => break,
                Visit::OnThisWalk => {
                    let ring = walk.iter().skip_while(|at| **at != number);
                    if let Some(first) = ring.min().copied() {
                        open_at(index, first, path, diagnostics);
                    }
                    break;
                }
                Visit::Not => *visit = Visit::OnThisWalk,
            }
            walk.push(number);
            next = index.get(number).and_then(|slot| slot.parent);
        }
        for number in walk {
            if let Some(visit) = visits.get_mut(number as usize) {
                *visit = Visit::Before;
            }
        }
    }
}

fn open_at(
    index: &mut Index,
    number: SlotNumber,
    path: &Arc<Path>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(slot) = index.get(number) else {
        return;
    };
    let (id, line) = (slot.id.clone(), slot.line_1based);
    index.set_parent(number, None);
    diagnostics.push(diagnostic(path, Some(line), Finding::ParentCycle { id }));
}
