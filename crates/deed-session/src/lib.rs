//! Sessions on disk: an append-only tree of entries that survives a kill.
