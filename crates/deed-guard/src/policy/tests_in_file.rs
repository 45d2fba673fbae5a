use super::Policy;
use super::fault::PolicyFault;
use super::file::TestCase;

/// Runs the tests of a file against that file alone; returns those that fail.
pub(crate) fn run(policy: &Policy, tests: &[TestCase]) -> Vec<PolicyFault> {
    tests
        .iter()
        .filter_map(|test| {
            let found = policy.decide(&test.call.request());
            (found.verdict != test.expected).then(|| PolicyFault {
                place: Some(test.place.clone()),
                reason: format!(
                    "the test `{}` expects {} and finds {} by `{}`; change the rules or the test",
                    test.text,
                    test.expected,
                    found.verdict,
                    found.rule_id()
                ),
            })
        })
        .collect()
}
