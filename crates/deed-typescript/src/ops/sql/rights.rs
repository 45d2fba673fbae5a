use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use deed_sql::canonical;
use serde_json::Value;

use super::super::{OpError, Scope, lock};

/// How many rights may be open at once; a script that wants more has lost count of its calls.
const MAX_OPEN: usize = 256;

/// What calls of one extension may do to databases.
///
/// A right passes three lists: a person's yes to a question of a guard; the grant that the guard makes
/// of it, for one text; and the capability that the running call gets for the grant. Each step takes
/// the right out of the list before. A read begins at the last.
#[derive(Default)]
pub(crate) struct Rights {
    open: Mutex<Open>,
    /// Counts runs of the model: ids of calls may come again in the next.
    run: AtomicU64,
}

#[derive(Default)]
struct Open {
    confirmed: Vec<Confirmed>,
    granted: Vec<Granted>,
    issued: Vec<Issued>,
}

/// A person's yes while a guard has a call.
struct Confirmed {
    call_id: Arc<str>,
    /// What the question may have shown as a statement, in its one form.
    shown: Vec<String>,
    input: Arc<Value>,
}

struct Granted {
    right: Right,
    /// What the call was about when the person said yes.
    input: Arc<Value>,
    run: u64,
}

/// One statement of one call on one database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Right {
    pub(super) call_id: Arc<str>,
    /// In its one form.
    pub(super) text: String,
    pub(super) database: Arc<str>,
    pub(super) is_write: bool,
}

/// A right in the hands of a running call.
struct Issued {
    id: String,
    right: Right,
    /// Whether the script showed it for its text, and has not run that since.
    is_shown: bool,
}

impl Rights {
    /// Hears that handlers or a call begin.
    pub(crate) fn opened(&self, scope: &Scope) {
        if let Scope::Guard(_, event) = scope {
            // Ids may repeat: what a call of that name left behind is not for this one.
            self.forget(&event.tool_call_id);
        }
    }

    /// Hears that handlers or a call are over.
    pub(crate) fn closed(&self, scope: &Scope) {
        match scope {
            Scope::Guard(_, event) => lock(&self.open)
                .confirmed
                .retain(|yes| yes.call_id != event.tool_call_id),
            Scope::Tool(call) => self.forget(&call.call.call_id),
            Scope::Handler(_) => {}
        }
    }

    /// Hears that a run begins: no call of the last one is still to come.
    pub(crate) fn run_begins(&self) {
        self.run.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes a person's yes, if it was asked for by a guard that has a call.
    pub(crate) fn confirmed(&self, scope: &Scope, title: &str, message: &str) {
        let Scope::Guard(_, event) = scope else {
            return;
        };
        // Whole parts alone: a statement that is shown holds shorter ones, which do something else.
        let below = title.split_once('\n').map_or("", |(_, below)| below);
        let shown = [message, title, below];
        let shown = shown.map(|part| canonical(part).to_owned()).into();
        let mut open = lock(&self.open);
        if open.confirmed.len() < MAX_OPEN {
            open.confirmed.push(Confirmed {
                call_id: event.tool_call_id.clone(),
                shown,
                input: event.input(),
            });
        }
    }

    /// Makes a grant of a person's yes to a question that showed the text.
    ///
    /// Errors: there is none.
    pub(super) fn grant(&self, right: Right) -> Result<(), OpError> {
        let run = self.run.load(Ordering::Relaxed);
        let mut open = lock(&self.open);
        open.granted.retain(|granted| granted.run == run);
        let fits =
            |yes: &Confirmed| yes.call_id == right.call_id && yes.shown.contains(&right.text);
        let Some(at) = open.confirmed.iter().position(fits) else {
            return Err(OpError::failed(
                "nobody confirmed this statement while this handler had the call: ask with it alone \
                 as the message of ctx.ui.confirm, or below the first line of the title of \
                 ctx.ui.select, and grant it once for each yes",
            ));
        };
        if open.granted.len() >= MAX_OPEN {
            return Err(too_many());
        }
        let input = open.confirmed.remove(at).input;
        open.granted.push(Granted { right, input, run });
        Ok(())
    }

    /// Gives a running call the right that it was granted, or that a read has anyway; `None` if it
    /// has none. `args` are those that it runs with.
    pub(super) fn issue(&self, right: Right, args: &Value) -> Result<Option<String>, OpError> {
        let run = self.run.load(Ordering::Relaxed);
        let mut open = lock(&self.open);
        if open.issued.len() >= MAX_OPEN {
            return Err(too_many());
        }
        if right.is_write {
            let fits = |granted: &Granted| {
                granted.right == right && granted.run == run && *granted.input == *args
            };
            let Some(at) = open.granted.iter().position(fits) else {
                return Ok(None);
            };
            open.granted.remove(at);
        }
        let id = unguessable()?;
        open.issued.push(Issued {
            id: id.clone(),
            right,
            is_shown: false,
        });
        Ok(Some(id))
    }

    /// Notes that a capability was shown for a text.
    ///
    /// Errors: it is none, or for another text.
    pub(super) fn show(&self, id: &str, text: &str) -> Result<(), OpError> {
        let mut open = lock(&self.open);
        let issued = open.issued.iter_mut().find(|issued| issued.id == id);
        let issued = issued.ok_or_else(used_up)?;
        if issued.right.text != text {
            return Err(another_text());
        }
        issued.is_shown = true;
        Ok(())
    }

    /// Takes a capability; it is gone whatever comes of it.
    ///
    /// Errors: it is none, or for another text.
    pub(super) fn take(&self, id: &str, text: &str) -> Result<Right, OpError> {
        let mut open = lock(&self.open);
        let at = open.issued.iter().position(|issued| issued.id == id);
        let right = open.issued.remove(at.ok_or_else(used_up)?).right;
        match right.text == text {
            true => Ok(right),
            false => Err(another_text()),
        }
    }

    /// Says which capability runs a text: the first that was shown for it, which then is picked no
    /// more; `None` if there is none.
    ///
    /// Errors: several calls may run it, on different databases.
    pub(super) fn claim(&self, text: &str) -> Result<Option<String>, OpError> {
        let mut open = lock(&self.open);
        let mut shown: Vec<&mut Issued> = open
            .issued
            .iter_mut()
            .filter(|issued| issued.is_shown && issued.right.text == text)
            .collect();
        let mut databases = shown.iter().map(|issued| &issued.right.database);
        let first = databases.next();
        if databases.any(|other| Some(other) != first) {
            return Err(OpError::failed(
                "several calls may run this text, on different databases; give runAuthorizedQuery \
                 the capability",
            ));
        }
        Ok(shown.first_mut().map(|issued| {
            issued.is_shown = false;
            issued.id.clone()
        }))
    }

    fn forget(&self, call_id: &str) {
        let mut open = lock(&self.open);
        open.confirmed.retain(|yes| &*yes.call_id != call_id);
        open.granted
            .retain(|granted| &*granted.right.call_id != call_id);
        open.issued
            .retain(|issued| &*issued.right.call_id != call_id);
    }
}

fn unguessable() -> Result<String, OpError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(OpError::failed)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn used_up() -> OpError {
    OpError::failed(
        "this right was used up or its call is over; a call gets one for each run of a statement",
    )
}

fn another_text() -> OpError {
    OpError::failed(
        "this right is for another statement; ask for it with what canonicalizeSql returns for the \
         text that is to run",
    )
}

fn too_many() -> OpError {
    OpError::failed(format!("more than {MAX_OPEN} statements wait to run"))
}
