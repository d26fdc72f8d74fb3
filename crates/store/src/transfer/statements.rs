//! The statements that copy and compare tables, built from the list of tables.

use std::sync::LazyLock;

use crate::engine::Database;
use crate::sql::{Column, Each, Upsert};
use crate::tables::{Copying, TABLES, Table};

/// A table that is copied, with its statements.
#[derive(Debug)]
pub(super) struct CopiedTable {
    pub(super) name: &'static str,
    pub(super) database: Database,
    pub(super) columns: &'static [Column],
    pub(super) key_columns: usize,
    /// Whether all rows are written in one transaction.
    pub(super) is_whole: bool,
    pub(super) upsert: Option<Upsert>,
    pub(super) insert: Each,
    pub(super) delete: &'static str,
    pub(super) count: &'static str,
    /// Whether there is a row that a new database does not have.
    pub(super) is_used: &'static str,
    pub(super) last_key: &'static str,
    pub(super) page: Page,
    /// The same with the checksum of each row as the last column.
    pub(super) page_with_checksum: Page,
}

/// The next rows in the order of the key, at most as many as the last parameter says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub(super) first: &'static str,
    /// Takes the key of the row before as its first parameters.
    pub(super) after: &'static str,
}

/// Built once: engines keep prepared statements by their text, which must live as long as the program.
static COPIED: LazyLock<Vec<CopiedTable>> =
    LazyLock::new(|| TABLES.iter().filter_map(CopiedTable::of).collect());

/// The tables to copy, in order.
pub(super) fn copied() -> &'static [CopiedTable] {
    &COPIED
}

impl CopiedTable {
    fn of(table: &Table) -> Option<Self> {
        let (is_whole, new) = match table.copying {
            Copying::Never(_) => return None,
            Copying::Batches => (false, "FALSE"),
            Copying::Whole { new } => (true, new),
        };
        let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
        let key = &names[names.len() - table.key_columns..];
        let types: Vec<Column> = table.columns.iter().map(|(_, column)| *column).collect();
        let (name, columns, rows) = (table.name, types.leak(), table.rows.unwrap_or("TRUE"));
        let listed = names.join(", ");
        let last_first = key.iter().map(|column| format!("{column} DESC")).collect::<Vec<_>>().join(", ");
        Some(Self {
            name,
            database: table.database,
            columns,
            key_columns: table.key_columns,
            is_whole,
            upsert: table.upsert,
            insert: insert(name, &listed, columns),
            delete: format!("DELETE FROM {name} WHERE {rows}").leak(),
            count: format!("SELECT COUNT(*) FROM {name} WHERE {rows}").leak(),
            is_used: format!("SELECT EXISTS (SELECT 1 FROM {name} WHERE {rows} AND NOT ({new}))").leak(),
            last_key: format!(
                "SELECT {} FROM {name} WHERE {rows} ORDER BY {last_first} LIMIT 1",
                key.join(", ")
            )
            .leak(),
            page: page(name, &listed, key, rows),
            page_with_checksum: page(name, &format!("{listed}, checksum"), key, rows),
        })
    }
}

fn insert(name: &str, listed: &str, columns: &'static [Column]) -> Each {
    let parameters = parameters(columns.len());
    Each {
        one: format!("INSERT INTO {name} ({listed}) VALUES ({parameters})").leak(),
        columns,
        // Rows with distinct keys differ as a whole.
        key_columns: columns.len(),
        many: format!("INSERT INTO {name} ({listed}) SELECT * FROM UNNEST({parameters})").leak(),
    }
}

fn page(name: &str, listed: &str, key: &[&str], rows: &str) -> Page {
    let (columns, after) = (key.join(", "), parameters(key.len()));
    let limit = key.len() + 1;
    Page {
        first: format!("SELECT {listed} FROM {name} WHERE {rows} ORDER BY {columns} LIMIT $1").leak(),
        after: format!(
            "SELECT {listed} FROM {name} WHERE ({columns}) > ({after}) AND {rows} ORDER BY {columns} LIMIT ${limit}"
        )
        .leak(),
    }
}

/// `$1, $2` up to a number.
fn parameters(count: usize) -> String {
    (1..=count).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ")
}
