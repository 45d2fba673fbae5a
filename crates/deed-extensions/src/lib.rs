//! The extension API.
