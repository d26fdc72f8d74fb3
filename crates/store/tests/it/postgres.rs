//! PostgreSQL: the same suite, on a database of its own for each test.

use lastro_store::open;
use tokio_postgres::NoTls;

use crate::conformance::{Place, suite};

/// The server that `scripts/servers` starts.
pub(crate) fn server() -> String {
    std::env::var("LASTRO_TEST_POSTGRES").expect(
        "these tests need a PostgreSQL: run them with `scripts/servers cargo nextest run`, \
         or name one in LASTRO_TEST_POSTGRES",
    )
}

/// The address of a database on that server.
pub(crate) fn url_of(database: &str) -> String {
    let server = server();
    let (host, _) = server.rsplit_once('/').expect("an address with a database");
    format!("{host}/{database}?sslmode=disable")
}

/// Runs statements, whatever runtime the caller is in or not in. Gives the first value of the last one.
pub(crate) fn run(url: &str, sql: &str) -> Option<String> {
    try_run(url, sql).unwrap()
}

fn try_run(url: &str, sql: &str) -> Result<Option<String>, tokio_postgres::Error> {
    let (url, sql) = (url.to_owned(), sql.to_owned());
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
            let task = tokio::spawn(connection);
            let answer = client.simple_query(&sql).await;
            drop(client);
            let _ = task.await;
            Ok(answer?.iter().rev().find_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            }))
        })
    };
    std::thread::spawn(run).join().unwrap()
}

/// A database that is dropped with the test.
pub(crate) struct TemporaryDatabase(String);

impl TemporaryDatabase {
    /// With all tables, and nothing in them.
    pub(crate) fn new() -> Self {
        Self::copied_from(&template())
    }

    /// With nothing at all.
    pub(crate) fn bare() -> Self {
        Self::copied_from("template0")
    }

    fn copied_from(template: &str) -> Self {
        let name = format!("lastro_{}_{:08x}", std::process::id(), fastrand::u32(..));
        run(&server(), &format!("CREATE DATABASE {name} TEMPLATE {template}"));
        Self(name)
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }
}

impl Drop for TemporaryDatabase {
    fn drop(&mut self) {
        let _ = try_run(&server(), &format!("DROP DATABASE {} WITH (FORCE)", self.0));
    }
}

impl Place for TemporaryDatabase {
    fn url(&self) -> String {
        url_of(&self.0)
    }
}

/// Migrated once for all tests of a server: whoever comes first makes it under another name, and others wait or find it.
fn template() -> String {
    const TEMPLATE: &str = "lastro_template";
    let exists = format!("SELECT 1 FROM pg_database WHERE datname = '{TEMPLATE}'");
    while run(&server(), &exists).is_none() {
        let draft = TemporaryDatabase::bare();
        let url = draft.url();
        let migrate = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async { drop(open(&url).await.unwrap()) });
        };
        std::thread::spawn(migrate).join().unwrap();
        // Connections are closed a moment after their client is gone. If another process was faster, its copy serves.
        let close = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'",
            draft.name()
        );
        run(&server(), &close);
        let _ = try_run(&server(), &format!("ALTER DATABASE {} RENAME TO {TEMPLATE}", draft.name()));
    }
    TEMPLATE.to_owned()
}

mod conformance {
    use super::*;
    suite!(TemporaryDatabase::new());
}
