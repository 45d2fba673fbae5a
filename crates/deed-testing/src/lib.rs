//! Scripted runs and fixtures for the tests of the other crates.
