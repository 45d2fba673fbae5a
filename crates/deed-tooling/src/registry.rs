mod tool;

pub use tool::{Layer, RegisteredTool};
