/// Returns a policy file to start from, with a word on each key.
pub fn starter() -> &'static str {
    include_str!("starter.jsonc")
}
