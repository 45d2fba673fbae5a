//! When and where to cut a history that grows too long; pure.
