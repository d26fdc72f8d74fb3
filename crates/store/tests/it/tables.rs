//! The list of tables and the real schemas are the same, and rows are read by the list.

use std::collections::{BTreeMap, BTreeSet};

use lastro_store::{Column, Copying, Database, TABLES, Table};
use rusqlite::Connection;
use serde_json::Value;

use crate::conformance::Place;
use crate::postgres::{TemporaryDatabase, run};
use crate::sqlite::TemporaryFile;

/// A database that tests read directly.
pub(crate) trait Inspected: Place {
    /// The functions that build a JSON array of values, and of rows.
    const JSON: [&str; 2];

    /// The text that a query of one of the two databases returns.
    fn text(&self, database: Database, query: &str) -> String;

    /// The rows that a query returns, as JSON arrays.
    fn rows(&self, database: Database, columns: &str, rest: &str) -> Vec<Vec<Value>> {
        let [array, rows] = Self::JSON;
        let query =
            format!("SELECT {rows}(listed) FROM (SELECT {array}({columns}) AS listed {rest}) AS found");
        let text = self.text(database, &query);
        let rows: Option<Vec<Value>> = serde_json::from_str(&text).unwrap();
        // SQLite lists arrays as texts.
        let row = |row: Value| match row {
            Value::String(text) => serde_json::from_str(&text).unwrap(),
            row => serde_json::from_value(row).unwrap(),
        };
        rows.unwrap_or_default().into_iter().map(row).collect()
    }

    /// The rows of a table that a transfer copies, in the order of the key.
    fn copied_rows(&self, table: &Table) -> Vec<Vec<Value>> {
        let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
        let (key, condition) = (key(table).join(", "), table.rows.unwrap_or("TRUE"));
        let rest = format!("FROM {} WHERE {condition} ORDER BY {key}", table.name);
        self.rows(table.database, &names.join(", "), &rest)
    }

    /// Everything that a transfer copies.
    fn everything(&self) -> BTreeMap<String, Vec<Vec<Value>>> {
        let label = |table: &Table| format!("{} of {:?}", table.name, table.database);
        copied().map(|table| (label(table), self.copied_rows(table))).collect()
    }
}

impl Inspected for TemporaryFile {
    const JSON: [&str; 2] = ["json_array", "json_group_array"];

    fn text(&self, database: Database, query: &str) -> String {
        let beside = if database == Database::Accounts { ".accounts" } else { "" };
        let connection = Connection::open(format!("{}{beside}", self.path().display())).unwrap();
        connection.query_row(query, [], |row| row.get(0)).unwrap()
    }
}

impl Inspected for TemporaryDatabase {
    const JSON: [&str; 2] = ["json_build_array", "json_agg"];

    fn text(&self, _: Database, query: &str) -> String {
        run(&self.url(), query).unwrap_or_else(|| "null".to_owned())
    }
}

fn copied() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(|table| !matches!(table.copying, Copying::Never(_)))
}

fn key(table: &Table) -> Vec<&'static str> {
    table.columns[table.columns.len() - table.key_columns..].iter().map(|(name, _)| *name).collect()
}

fn texts(rows: Vec<Vec<Value>>) -> Vec<String> {
    rows.into_iter().map(|row| row[0].as_str().unwrap().to_owned()).collect()
}

/// A column as the list would have it, with its place in the key, from one.
type Found = (String, &'static str, u64);

fn found(name: &Value, kind: &Value, place: &Value) -> Found {
    let kind = match kind.as_str().unwrap().to_lowercase().as_str() {
        "text" => "text",
        "integer" | "bigint" | "smallint" => "integer",
        other => panic!("a column of the type {other}"),
    };
    (name.as_str().unwrap().to_owned(), kind, place.as_u64().unwrap())
}

fn listed(table: &Table) -> BTreeSet<Found> {
    let place =
        |name: &str| key(table).iter().position(|column| *column == name).map_or(0, |place| place + 1);
    let kind = |column: Column| if column == Column::Text { "text" } else { "integer" };
    table
        .columns
        .iter()
        .map(|(name, column)| ((*name).to_owned(), kind(*column), place(name) as u64))
        .collect()
}

#[tokio::test]
async fn the_list_has_every_table_and_column_of_sqlite() {
    let place = TemporaryFile::new();
    drop(place.open().await);
    for database in [Database::Data, Database::Accounts] {
        let names = "FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migration'";
        let names: BTreeSet<String> = texts(place.rows(database, "name", names)).into_iter().collect();
        let tables: Vec<&Table> = TABLES.iter().filter(|table| table.database == database).collect();
        assert_eq!(names, tables.iter().map(|table| table.name.to_owned()).collect(), "see src/tables.rs");
        for table in copied().filter(|table| table.database == database) {
            let columns = format!("FROM pragma_table_info('{}')", table.name);
            let mut columns: BTreeSet<Found> = place
                .rows(database, "name, type, pk", &columns)
                .iter()
                .map(|column| found(&column[0], &column[1], &column[2]))
                .collect();
            columns.remove(&("checksum".to_owned(), "integer", 0));
            assert_eq!(columns, listed(table), "{}: see src/tables.rs", table.name);
        }
    }
}

#[tokio::test]
async fn the_list_has_every_table_and_column_of_postgres() {
    let place = TemporaryDatabase::new();
    let names = "FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'lastro_migration'";
    let names: BTreeSet<String> = texts(place.rows(Database::Data, "tablename", names)).into_iter().collect();
    assert_eq!(names, TABLES.iter().map(|table| table.name.to_owned()).collect(), "see src/tables.rs");
    for table in copied() {
        let columns = format!(
            "FROM information_schema.columns LEFT JOIN information_schema.key_column_usage AS used
                ON used.table_name = columns.table_name AND used.column_name = columns.column_name
                    AND used.constraint_name = columns.table_name || '_pkey'
            WHERE columns.table_schema = current_schema() AND columns.table_name = '{}'",
            table.name
        );
        let select = "columns.column_name, data_type, COALESCE(used.ordinal_position, 0)";
        let columns = place.rows(Database::Data, select, &columns);
        let columns: BTreeSet<Found> =
            columns.iter().map(|column| found(&column[0], &column[1], &column[2])).collect();
        assert_eq!(columns, listed(table), "{}: see src/tables.rs", table.name);
    }
}

/// The conditions of both lists of counters.
fn counters() -> [(Database, &'static str); 2] {
    let mut all = TABLES.iter().filter(|table| table.name == "counter");
    [(); 2].map(|()| all.next().map(|table| (table.database, table.rows.unwrap())).unwrap())
}

#[tokio::test]
async fn every_counter_belongs_to_one_of_the_databases() {
    let (file, server) = (TemporaryFile::new(), TemporaryDatabase::new());
    drop(file.open().await);
    for (database, condition) in counters() {
        let others = file.rows(database, "name", &format!("FROM counter WHERE NOT ({condition})"));
        assert!(others.is_empty(), "{database:?} has other counters, too: {others:?}");
    }
    let [(_, one), (_, other)] = counters();
    let rest = format!("FROM counter WHERE ({one}) = ({other})");
    let odd = server.rows(Database::Data, "name", &rest);
    assert!(odd.is_empty(), "{odd:?} belong to none or both");
}
