//! Calls, before and after they run.

use deed_agent::ResultPatch;
use deed_extensions::{ExtensionContext, ToolCallEvent, ToolCallReply, ToolResultEvent};
use serde_json::{Value, json};

use super::Bridged;
use super::wire::{put, take, value};
use crate::bridge::Bridge;
use crate::ops::Scope;

impl Bridged for ToolCallEvent {
    const IS_GUARD: bool = true;

    fn wire(&self, _: &Bridge) -> Value {
        json!({
            "toolName": self.tool_name,
            "toolCallId": self.tool_call_id,
            "input": *self.input(),
        })
    }

    fn scope(&self, context: &ExtensionContext) -> Scope {
        Scope::Guard(context.clone(), self.clone())
    }

    fn answer(&mut self, mut answer: Value) -> Result<ToolCallReply, String> {
        if let Some(input) = take(&mut answer, "input")? {
            self.set_input(input);
        }
        if take(&mut answer, "block")? != Some(true) {
            return Ok(ToolCallReply::NoObjection);
        }
        Ok(ToolCallReply::Block {
            reason: take(&mut answer, "reason")?,
            terminate: take(&mut answer, "terminate")?.unwrap_or(false),
        })
    }
}

impl Bridged for ToolResultEvent {
    fn wire(&self, _: &Bridge) -> Value {
        let mut wire = json!({
            "toolName": self.tool_name,
            "toolCallId": self.tool_call_id,
            "input": *self.input,
            "content": value(&self.content),
            "isError": self.is_error,
        });
        if let Some(details) = &self.details {
            put(&mut wire, "details", details.clone());
        }
        if let Some(usage) = &self.usage {
            put(&mut wire, "usage", value(usage));
        }
        if self.terminate {
            put(&mut wire, "terminate", true.into());
        }
        wire
    }

    fn answer(&mut self, mut answer: Value) -> Result<ResultPatch, String> {
        Ok(ResultPatch {
            content: take(&mut answer, "content")?,
            details: take(&mut answer, "details")?,
            is_error: take(&mut answer, "isError")?,
            usage: take(&mut answer, "usage")?,
            terminate: take(&mut answer, "terminate")?,
        })
    }
}
