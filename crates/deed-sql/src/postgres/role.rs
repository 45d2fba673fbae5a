use tokio_postgres::{Client, Error, SimpleQueryMessage, SimpleQueryRow};

use crate::run_error::RunError;

/// Asks for the role of the session, what it may do, and where names are looked up.
///
/// Every name is qualified: the session may look names up somewhere else first.
const QUESTION: &str = "SELECT r.rolname, r.rolsuper, r.rolreplication, \
     (SELECT pg_catalog.string_agg(g.rolname::pg_catalog.text, ', ') FROM pg_catalog.pg_roles g \
      WHERE g.rolname OPERATOR(pg_catalog.=) ANY ('{pg_read_server_files,pg_write_server_files,\
      pg_execute_server_program,pg_signal_backend}'::pg_catalog.name[]) \
      AND pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER')), \
     pg_catalog.current_setting('search_path') \
     FROM pg_catalog.pg_roles r \
     WHERE r.rolname OPERATOR(pg_catalog.=) current_user \
        OR r.rolname OPERATOR(pg_catalog.=) session_user";

const LIFT: &str = "; or let reads run under this one with --sql-privileged";

/// What is known of the role of a session.
pub(super) struct Role {
    name: String,
    powers: Vec<String>,
    pub(super) search_path: String,
}

impl Role {
    pub(super) async fn of(client: &Client) -> Result<Self, Error> {
        let mut role = Self {
            name: String::new(),
            powers: Vec::new(),
            search_path: String::new(),
        };
        for message in client.simple_query(QUESTION).await? {
            if let SimpleQueryMessage::Row(row) = message {
                role.add(&row);
            }
        }
        Ok(role)
    }

    fn add(&mut self, row: &SimpleQueryRow) {
        let text = |at| {
            row.try_get(at)
                .ok()
                .flatten()
                .unwrap_or_default()
                .to_owned()
        };
        let (name, groups): (String, String) = (text(0), text(3));
        if text(1) == "t" {
            self.powers.push("it is a superuser".to_owned());
        } else if !groups.is_empty() {
            self.powers.push(format!("it is a member of {groups}"));
        }
        if text(2) == "t" {
            self.powers.push("it may replicate".to_owned());
        }
        self.name = name;
        self.search_path = text(4);
    }

    /// Refuses a role that no transaction confines; `lift` tells whether that can be allowed.
    pub(super) fn check(&self, lift: Lift) -> Result<(), RunError> {
        if self.powers.is_empty() || lift == Lift::Lifted {
            return Ok(());
        }
        let mut powers = self.powers.clone();
        powers.dedup();
        Err(RunError::PrivilegedRole {
            role: self.name.clone(),
            powers: powers.join(", "),
            lift: if lift == Lift::Possible { LIFT } else { "" },
        })
    }
}

/// Whether a role that may too much is taken all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lift {
    /// It is not, and nothing changes that.
    Impossible,
    /// It is not, and a setting would change that.
    Possible,
    /// It is.
    Lifted,
}
