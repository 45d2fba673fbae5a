/// Remembers what this session last saw or wrote of each file.
#[derive(Debug, Default)]
pub struct SeenLedger {}
