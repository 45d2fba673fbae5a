use std::path::Path;

/// The tables, as SQLite and PostgreSQL both read them.
pub const SCHEMA: &str = "
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, stock INTEGER, price_cents INTEGER);
INSERT INTO products VALUES (1, 'lamp', 12, 1800), (2, 'chair', 4, 7900), (3, 'desk', 1, 24900);
CREATE TABLE orders (id INTEGER PRIMARY KEY, product_id INTEGER, year INTEGER);
INSERT INTO orders VALUES (1, 2, 2024), (2, 1, 2025), (3, 1, 2026);
";

/// Makes a SQLite file with the tables.
///
/// Errors: what SQLite says.
pub fn make_shop(path: &Path) -> rusqlite::Result<()> {
    rusqlite::Connection::open(path)?.execute_batch(SCHEMA)
}
