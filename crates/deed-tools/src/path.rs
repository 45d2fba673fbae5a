//! Paths as models write them.
