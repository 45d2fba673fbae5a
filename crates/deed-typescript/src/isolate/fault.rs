//! What a script threw, as an error of the host.

use rquickjs::{Ctx, Error, Value};

use super::inside::Inside;
use crate::{Death, ScriptError, Thrown};

/// The text of the engine where memory ends.
const OUT_OF_MEMORY: &str = "out of memory";

impl Inside {
    /// Takes the exception that an error of the engine stands for.
    pub(super) fn caught(&self, ctx: &Ctx<'_>, error: &Error) -> ScriptError {
        match error {
            Error::Exception => self.error_of(&ctx.catch()),
            Error::Allocation => self.dead(self.out_of_memory()),
            error => ScriptError::Thrown(Thrown {
                name: String::new(),
                message: error.to_string(),
                stack: Vec::new(),
            }),
        }
    }

    /// Reads what was thrown. An engine that died has one answer to everything, since what it threw
    /// may belong to another call.
    pub(super) fn error_of(&self, value: &Value<'_>) -> ScriptError {
        if let Some(death) = self.health.death() {
            return ScriptError::Dead(death.clone());
        }
        let thrown = self.thrown(value);
        if thrown.name == "InternalError" && thrown.message == OUT_OF_MEMORY {
            return self.dead(self.out_of_memory());
        }
        ScriptError::Thrown(thrown)
    }

    /// Takes what a job threw that nobody could catch: what a script throws so is told; that the job
    /// could not even begin means that there was no memory for it.
    pub(super) fn job_failed(&self, ctx: &Ctx<'_>) {
        let thrown = ctx.catch();
        let error = match thrown.is_null() {
            true => self.dead(self.out_of_memory()),
            false => self.error_of(&thrown),
        };
        if let ScriptError::Thrown(thrown) = error {
            self.operations.rejected(&thrown);
        }
    }

    fn out_of_memory(&self) -> Death {
        Death::Memory {
            max_bytes: self.limits.max_heap_bytes,
        }
    }

    fn dead(&self, death: Death) -> ScriptError {
        self.health.die(death.clone());
        ScriptError::Dead(death)
    }

    fn thrown(&self, value: &Value<'_>) -> Thrown {
        let plain = |message: String| Thrown {
            name: String::new(),
            message,
            stack: Vec::new(),
        };
        if let Some(object) = value.as_object() {
            // Each of these may be a getter that throws; then it says nothing.
            let text = |key: &str| object.get::<_, Option<String>>(key).ok().flatten();
            let Some(message) = text("message") else {
                let ctx = value.ctx();
                let json = ctx.json_stringify(value.clone()).ok().flatten();
                let json = json.and_then(|json| json.to_string().ok());
                return plain(
                    json.unwrap_or_else(|| "an object was thrown that says nothing".to_owned()),
                );
            };
            return Thrown {
                name: text("name").unwrap_or_default(),
                message,
                stack: text("stack")
                    .map(|stack| self.places.frames(&stack))
                    .unwrap_or_default(),
            };
        }
        if let Some(text) = value.as_string().and_then(|text| text.to_string().ok()) {
            return plain(text);
        }
        if value.is_null() {
            // The engine throws null too, where there is no memory left for an error.
            return plain("null was thrown (which also happens where memory runs out)".to_owned());
        }
        let shown = value.ctx().json_stringify(value.clone()).ok().flatten();
        let shown = shown.and_then(|text| text.to_string().ok());
        plain(shown.unwrap_or_else(|| value.type_name().to_owned()) + " was thrown")
    }
}
