use super::words::words;

words! {
    /// The kind of a record.
    Event {
        /// A file begins; names the file before.
        Genesis = "genesis",
        /// The model asked for a call.
        Call = "call",
        /// A hook saw a call.
        Hook = "hook",
        /// A call never reached the gate.
        TurnedAway = "turned_away",
        /// A rule decided.
        Decision = "decision",
        /// A person was asked.
        ApprovalAsked = "approval_asked",
        /// A person answered, or nobody did.
        Approval = "approval",
        /// A call is about to run.
        Intent = "intent",
        /// A call goes on.
        Progress = "progress",
        /// A call ran.
        Outcome = "outcome",
        /// A grant was never used.
        Void = "void",
        /// A version of the policy holds from here on.
        PolicyLoaded = "policy_loaded",
        /// The permission mode changed.
        ModeChanged = "mode_changed",
        /// A hook failed.
        HookFailed = "hook_failed",
        /// An extension did something outside of its engine.
        ExtensionAct = "extension_act",
        /// An answer came that no question waits for.
        LateAnswer = "late_answer",
        /// The log was not as its last writer left it.
        Recovered = "recovered",
        /// A writer ended in order.
        Closed = "closed",
    }
}
