use std::path::Path;

use deed_sql::{Database, DatabaseError, Dialect};

fn parse(spec: &str) -> Result<Database, DatabaseError> {
    Database::parse(spec, Path::new("/base"))
}

#[test]
fn a_sqlite_path_is_taken_from_the_folder_that_was_handed_in() {
    let shown = |spec| parse(spec).unwrap().to_string();
    assert_eq!(shown("shop=sqlite:shop.db"), "shop (sqlite /base/shop.db)");
    assert_eq!(shown("shop=sqlite:///abs/x.db"), "shop (sqlite /abs/x.db)");
    assert_eq!(shown("shop=sqlite:/abs/x.db"), "shop (sqlite /abs/x.db)");
    assert_eq!(parse("shop=sqlite:x").unwrap().dialect(), Dialect::Sqlite);
}

#[test]
fn a_postgres_url_shows_everything_but_the_password() {
    let database =
        parse("app=postgres://me:s%40cret@db.example:6000/shop?sslmode=require").unwrap();
    assert_eq!(
        database.to_string(),
        "app (postgres me@db.example:6000/shop)"
    );
    assert!(!format!("{database:?}").contains("cret"), "{database:?}");
    assert_eq!(database.secrets(), ["s@cret", "s%40cret"]);
    let socket = parse("app=postgres://me@/shop?host=/var/run/postgresql").unwrap();
    assert_eq!(
        socket.to_string(),
        "app (postgres me@/var/run/postgresql:5432/shop)"
    );
    assert!(socket.secrets().is_empty());
}

#[test]
fn a_writer_brings_its_secret_and_only_servers_have_one() {
    let folder = Path::new("/");
    let app = parse("app=postgres://r:one@h/d").unwrap();
    let app = app.with_writer("postgres://w:two@h/d", folder).unwrap();
    assert_eq!(app.secrets(), ["one", "two"]);
    let file = parse("shop=sqlite:x")
        .unwrap()
        .with_writer("postgres://w@h/d", folder);
    assert!(matches!(file, Err(DatabaseError::NoWriter { .. })));
}

#[test]
fn what_is_wrong_with_a_url_is_said_without_showing_it() {
    let specs = [
        "postgres://me:hunter2secret@h/d",
        "A=sqlite:x",
        "=sqlite:x",
        "app=mysql://me:hunter2secret@h/d",
        "app=postgres://me:hunter2secret@h:port/d",
        "app=postgres://me:hunter2secret@h/d?sslmode=hunter2secret",
        "app=postgres://me:hunter2secret@h/d?sslmode=allow",
        "app=postgres://me:hunter2secret@h/d?options=-csearch_path=x",
        "app=postgres://:hunter2secret@h/d",
        "app=postgres://me:hunter2secret@/d",
        "app=postgres://me:hunter2secret@a,b/d",
        "app=postgres://me:hunter2secret@h/d?sslrootcert=%zz",
        "app=postgres://me:hunter2secret@h/d?sslmode=require&sslrootcert=x",
        "app=sqlite:",
        "app=sqlite::memory:",
        "app=sqlite:x.db?mode=rwc",
        "app=sqlite:file:x.db",
    ];
    let messages: Vec<String> = specs
        .iter()
        .map(|spec| parse(spec).unwrap_err().to_string())
        .collect();
    let messages = messages.join("\n");
    assert!(!messages.contains("hunter2"), "{messages}");
    insta::assert_snapshot!(messages);
}
