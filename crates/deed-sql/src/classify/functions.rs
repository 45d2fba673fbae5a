//! What is known of functions: those that only compute, those that cost, and those that nothing allows.

use super::SqlClass;
use crate::Dialect;

/// One name a line; lines with `#` say where the list comes from.
const POSTGRES_PURE: &str = include_str!("postgres_functions.txt");

/// Volatile by PostgreSQL's own account, and harmless in a transaction that ends; and what is written
/// like a function but is none.
const POSTGRES_MORE: &str = "clock_timestamp gen_random_uuid random timeofday \
     pg_database_size pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size \
     pg_tablespace_size pg_is_in_recovery pg_blocking_pids pg_partition_tree pg_partition_ancestors \
     pg_xact_commit_timestamp pg_current_wal_lsn pg_last_wal_replay_lsn pg_collation_actual_version \
     coalesce nullif greatest least grouping row array exists normalize current_catalog current_date \
     current_role current_schema current_time current_timestamp current_user localtime \
     localtimestamp session_user user xmlelement xmlforest xmlconcat xmlpi xmlroot xmlserialize \
     json_array json_object json_scalar json_serialize json_value json_query json_exists \
     json_arrayagg json_objectagg merge_action cast extract position substring overlay trim";

/// Stable by PostgreSQL's account, and yet no read: they take a transaction number.
const POSTGRES_NOT_PURE: &str = "txid_current pg_current_xact_id";

/// Can take any time or space, and hold nothing beyond the transaction.
const POSTGRES_COSTLY: &str = "pg_sleep pg_sleep_for pg_sleep_until generate_series repeat lpad rpad \
     pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_try_advisory_xact_lock \
     pg_try_advisory_xact_lock_shared table_to_xml table_to_xml_and_xmlschema schema_to_xml \
     schema_to_xml_and_xmlschema database_to_xml database_to_xml_and_xmlschema";

/// Act on the server, its files or other sessions, whatever the transaction says. A `*` at the end
/// stands for anything.
const POSTGRES_DENIED: &str = "dblink* lo_export lo_import pg_advisory_lock* pg_advisory_unlock* \
     pg_try_advisory_lock pg_try_advisory_lock_shared pg_backup_* pg_start_backup pg_stop_backup \
     pg_cancel_backend pg_terminate_backend pg_copy_logical_replication_slot \
     pg_copy_physical_replication_slot pg_create_logical_replication_slot \
     pg_create_physical_replication_slot pg_create_restore_point pg_drop_replication_slot \
     pg_export_snapshot pg_file_* pg_hba_file_rules pg_ident_file_mappings \
     pg_import_system_collations pg_log_backend_memory_contexts pg_log_standby_snapshot \
     pg_logdir_ls pg_logical_* pg_ls_* pg_notify pg_promote pg_read_binary_file pg_read_file \
     pg_read_file_old pg_reload_conf pg_replication_* pg_rotate_logfile* pg_show_all_file_settings \
     pg_stat_file pg_stat_force_next_flush pg_stat_reset* pg_switch_wal pg_switch_xlog \
     pg_wal_replay_* binary_upgrade_* pg_sync_replication_slots";

const POSTGRES_SETTINGS: &str = "set_config setseed";

/// The built-in functions of SQLite that compute, with those of FTS, R-tree, JSON and windows.
const SQLITE_PURE: &str = "abs acos acosh asin asinh atan atan2 atanh avg bm25 ceil ceiling changes char \
     coalesce concat concat_ws cos cosh count cume_dist current_date current_time current_timestamp \
     date datetime degrees dense_rank exp first_value floor format geopoly_area glob group_concat hex \
     highlight if ifnull iif instr json json_array json_array_length json_each json_error_position \
     json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty \
     json_quote json_remove json_replace json_set json_tree json_type json_valid jsonb jsonb_array \
     jsonb_each jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object \
     jsonb_patch jsonb_remove jsonb_replace jsonb_set jsonb_tree json_array_insert \
     jsonb_array_insert julianday lag last_insert_rowid last_value lead length like likelihood likely \
     ln log log10 log2 lower ltrim match matchinfo max median min mod nth_value ntile nullif \
     octet_length offsets percent_rank percentile percentile_cont percentile_disc pi pow \
     power printf quote radians random rank replace round row_number rtreecheck rtreedepth rtreenode \
     rtrim sign sin sinh snippet soundex sqlite_compileoption_get sqlite_compileoption_used \
     sqlite_source_id sqlite_version sqrt strftime string_agg substr substring subtype sum tan tanh \
     time timediff total total_changes trim trunc typeof unhex unicode unistr unistr_quote unixepoch \
     unlikely upper -> ->>";

const SQLITE_COSTLY: &str = "randomblob zeroblob";

fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace()
        .any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => known == name,
        })
}

/// Says why nothing allows a call of that function, if so; `name` is in the case that counts.
pub(super) fn denied(dialect: Dialect, name: &str) -> Option<(SqlClass, String)> {
    match dialect {
        Dialect::Postgres if has(POSTGRES_SETTINGS, name) => Some((
            SqlClass::Session,
            format!(
                "{name}() would change the settings of the session that the call is confined by"
            ),
        )),
        Dialect::Postgres if has(POSTGRES_DENIED, name) => Some((
            SqlClass::SideEffect,
            format!(
                "{name}() acts on the server, its files or other sessions, beyond any transaction"
            ),
        )),
        Dialect::Sqlite if name.eq_ignore_ascii_case("load_extension") => Some((
            SqlClass::SideEffect,
            "load_extension() would load a library into this program".to_owned(),
        )),
        _ => None,
    }
}

/// Says what calling a function amounts to.
pub(super) fn class(dialect: Dialect, name: &str) -> (SqlClass, String) {
    if let Some(denied) = denied(dialect, name) {
        return denied;
    }
    let costs = format!("{name}() can take any amount of time or space");
    match dialect {
        Dialect::Postgres if has(POSTGRES_COSTLY, name) => (SqlClass::Resource, costs),
        Dialect::Postgres if is_pure_postgres(name) => (SqlClass::Read, String::new()),
        Dialect::Postgres => {
            let reason = format!("nothing is known of {name}() that rules a change of data out");
            (SqlClass::Write, reason)
        }
        Dialect::Sqlite if is_costly_sqlite(name) => (SqlClass::Resource, costs),
        Dialect::Sqlite if is_pure_sqlite_function(name) => (SqlClass::Read, String::new()),
        Dialect::Sqlite => {
            let reason =
                format!("{name}() is not one of SQLite's own functions, which only compute");
            (SqlClass::SideEffect, reason)
        }
    }
}

fn is_pure_postgres(name: &str) -> bool {
    if has(POSTGRES_NOT_PURE, name) {
        return false;
    }
    has(POSTGRES_MORE, name) || POSTGRES_PURE.lines().any(|line| line == name)
}

fn is_costly_sqlite(name: &str) -> bool {
    has(SQLITE_COSTLY, &name.to_ascii_lowercase())
}

/// Tells whether SQLite has a function of that name that only computes.
pub(crate) fn is_pure_sqlite_function(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    has(SQLITE_PURE, &name) || has(SQLITE_COSTLY, &name)
}
