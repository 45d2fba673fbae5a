use deed_guard::GuardGate;
use deed_guard::policy::{ExtensionAct, ExtensionPermit};
use deed_harness::real;
use deed_typescript::{Access, Permissions};

/// What one extension may do, as the policy says; programs, connections and refusals are on record.
pub(super) struct Permitted {
    pub(super) name: String,
    pub(super) permit: ExtensionPermit,
    pub(super) gate: GuardGate,
}

impl Permissions for Permitted {
    fn check(&self, access: &Access<'_>) -> Result<(), String> {
        let path;
        let act = match access {
            Access::Read(typed) => {
                path = real(typed);
                ExtensionAct::Read(&path)
            }
            Access::Write(typed) => {
                path = real(typed);
                ExtensionAct::Write(&path)
            }
            Access::Run(line) => ExtensionAct::Run(line),
            Access::Connect(host) => ExtensionAct::Connect(host),
            Access::Variable(name) => ExtensionAct::Know(name),
            // A person configured it, and the gate decides on each statement.
            Access::Database(_) => return Ok(()),
            _ => return Err("this program does not know what that is".to_owned()),
        };
        let decision = self.permit.decide(&act);
        let is_on_record = matches!(access, Access::Run(_) | Access::Connect(_));
        if is_on_record || decision.is_err() {
            let refusal = decision.as_ref().err().map(String::as_str);
            self.gate
                .note_extension_act(&self.name, &access.to_string(), refusal);
        }
        decision
    }
}
