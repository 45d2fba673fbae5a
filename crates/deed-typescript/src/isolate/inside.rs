use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use rquickjs::{Ctx, Function, Object, Persistent, Value};

use super::commonjs::Modules;
use super::timers::Timers;
use crate::health::Health;
use crate::ops::OpContext;
use crate::places::Places;
use crate::{Limits, Thrown};

/// The promise of an asynchronous operation.
pub(super) struct Pending {
    pub(super) resolve: Persistent<Function<'static>>,
    pub(super) reject: Persistent<Function<'static>>,
}

/// A promise that was rejected while nobody waited for it.
pub(super) struct Rejection {
    promise: Persistent<Value<'static>>,
    thrown: Thrown,
}

/// What functions of the host keep on the engine's thread.
pub(super) struct Inside {
    pub(super) limits: Limits,
    pub(super) health: Arc<Health>,
    pub(super) operations: Arc<OpContext>,
    pub(super) places: Places,
    pub(super) modules: Modules,
    pub(super) timers: RefCell<Timers>,
    /// The default export of the JavaScript host.
    pub(super) host: RefCell<Option<Persistent<Object<'static>>>>,
    pub(super) pending: RefCell<HashMap<u64, Pending>>,
    rejections: RefCell<Vec<Rejection>>,
    last_id: Cell<u64>,
}

impl Inside {
    pub(super) fn new(limits: Limits, health: Arc<Health>, operations: Arc<OpContext>) -> Self {
        let admits = operations.bridge.options.admits.clone();
        Self {
            limits,
            health,
            operations,
            places: Places::default(),
            modules: Modules::new(admits),
            timers: RefCell::default(),
            host: RefCell::default(),
            pending: RefCell::default(),
            rejections: RefCell::default(),
            last_id: Cell::new(0),
        }
    }

    pub(super) fn next_id(&self) -> u64 {
        self.last_id.set(self.last_id.get() + 1);
        self.last_id.get()
    }

    /// Notes a promise that was rejected without anybody waiting, or for which somebody waits now.
    pub(super) fn track<'js>(
        &self,
        ctx: &Ctx<'js>,
        promise: Value<'js>,
        reason: &Value<'js>,
        is_handled: bool,
    ) {
        let mut rejections = self.rejections.borrow_mut();
        if is_handled {
            rejections.retain(|there| {
                let same = there.promise.clone().restore(ctx);
                same.is_ok_and(|there| there != promise)
            });
        } else if let crate::ScriptError::Thrown(thrown) = self.error_of(reason) {
            rejections.push(Rejection {
                promise: Persistent::save(ctx, promise),
                thrown,
            });
        }
    }

    /// Tells of promises that are still rejected with nobody waiting, now that the script pauses.
    pub(super) fn tell_rejections(&self) {
        // Taken out first: whoever hears of it may not come back here while it is borrowed.
        let rejections = std::mem::take(&mut *self.rejections.borrow_mut());
        for rejection in rejections {
            self.operations.rejected(&rejection.thrown);
        }
    }

    /// Lets go of everything that belongs to the engine, which must be gone before it is.
    pub(super) fn clear(&self) {
        self.host.borrow_mut().take();
        self.pending.borrow_mut().clear();
        self.rejections.borrow_mut().clear();
        self.modules.clear();
    }
}
