use deed_sql::Database;
use desktop_database::make_shop;

use super::{assert_as_written, tell};

#[tokio::test(flavor = "multi_thread")]
async fn the_scenario_on_sqlite_changes_only_what_was_agreed_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    make_shop(&path).unwrap();
    let database = Database::parse("shop=sqlite:shop.db", folder.path()).unwrap();
    assert_as_written(&tell(folder.path(), database).await);
    let shop = rusqlite::Connection::open(&path).unwrap();
    let number = |sql: &str| shop.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("SELECT stock FROM products WHERE name = 'lamp'"), 11);
    assert_eq!(
        number("SELECT price_cents FROM products WHERE name = 'lamp'"),
        1800
    );
    assert_eq!(number("SELECT count(*) FROM orders"), 3);
}
