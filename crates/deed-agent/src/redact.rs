use std::borrow::Cow;

/// Takes known secrets out of what leaves a tool.
pub trait Redactor: Send + Sync + 'static {
    /// Begins a stream of bytes; `None` if there is nothing to take out.
    fn stream(&self) -> Option<Box<dyn RedactStream>>;
}

/// Takes known secrets out of a stream of bytes, also where one is cut in two.
pub trait RedactStream: Send + 'static {
    /// Takes the next bytes and returns what may leave now.
    fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Cow<'a, [u8]>;

    /// Returns what was held back.
    fn finish(&mut self) -> Vec<u8>;
}

/// Knows no secret.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeepAll;

impl Redactor for KeepAll {
    fn stream(&self) -> Option<Box<dyn RedactStream>> {
        None
    }
}
