//! Transfers that are refused, with nothing changed.

use super::*;

#[tokio::test]
async fn a_used_target_is_refused_and_not_changed() {
    let file = TemporaryFile::new();
    fill(&*file.open().await).await;
    for (script, table) in [
        ("INSERT INTO rate VALUES ('selic', 1, '1')", "rate"),
        ("INSERT INTO setting VALUES ('pepper_fingerprint', 'x')", "setting"),
        ("UPDATE counter SET value = 1 WHERE name = 'key_revision'", "counter"),
        ("UPDATE source_state SET last_attempt = 1 WHERE source = 'fx'", "source_state"),
    ] {
        let server = TemporaryDatabase::new();
        server.change(script);
        let before = server.everything();
        let refused = refusal(&file, &server).await;
        assert!(refused.contains(&format!("not empty (see its table {table})")), "{refused}");
        assert_eq!(server.everything(), before);
        open(&server.url()).await.expect("it is not marked as unfinished");
    }
}

#[tokio::test]
async fn a_migration_of_another_source_is_refused() {
    let (one, other, server) = (TemporaryFile::new(), TemporaryFile::new(), TemporaryDatabase::new());
    fill(&*one.open().await).await;
    fill(&*other.open().await).await;
    assert!(!interrupted(&one, &server, 20).await);
    let busy = transfer_as("another", &other, &server, &|_| {}).await.unwrap_err().to_string();
    assert!(busy.contains("the test is migrating into this database"), "{busy}");
    server.change("DELETE FROM lease");
    let refused = refusal(&other, &server).await;
    assert!(refused.contains("unfinished migration of another database"), "{refused}");
    let refused = refusal(&server, &TemporaryFile::new()).await;
    assert_eq!(refused, StoreError::Unfinished.to_string(), "nor is it a source");
}

#[tokio::test]
async fn a_database_is_not_moved_to_itself() {
    let file = TemporaryFile::new();
    drop(file.open().await);
    assert!(refusal(&file, &file).await.contains("same database"));
}

/// Writes the row of a server that is alive by the database's clock.
async fn serve(place: &impl Place, name: &str) {
    let store = place.open().await;
    let seen_at = store.time().await.unwrap().unwrap_or(at(0));
    let replica = Replica {
        boot: "boot".to_owned(),
        name: name.to_owned(),
        version: "0".to_owned(),
        started_at: seen_at,
        seen_at,
        editions: Default::default(),
    };
    store.beat(replica).await.unwrap();
}

#[tokio::test]
async fn a_database_in_service_is_refused() {
    let (file, server) = (TemporaryFile::new(), TemporaryDatabase::new());
    fill(&*file.open().await).await;
    serve(&server, "natal 2").await;
    let refused = refusal(&file, &server).await;
    assert!(refused.contains("the target is in service (natal 2)"), "{refused}");
    serve(&file, "recife-1").await;
    let refused = refusal(&file, &server).await;
    assert!(refused.contains("the source is in service (recife-1)"), "{refused}");
    file.change_accounts("UPDATE replica SET seen_at = 0");
    server.change("UPDATE replica SET seen_at = 0");
    file.open().await.take_lease("sync:selic", "lastro sync", at(0), at(60)).await.unwrap();
    let refused = refusal(&file, &server).await;
    assert!(refused.contains("lastro sync works on the source"), "{refused}");
    file.open().await.release_lease("sync:selic", "lastro sync").await.unwrap();
    transfer(&file, &server).await.unwrap();
}

#[tokio::test]
async fn a_source_with_another_schema_is_refused_and_not_changed() {
    let target = TemporaryFile::new();
    let missing = TemporaryFile::new();
    assert_eq!(
        refusal(&missing, &target).await,
        StoreError::Missing { database: missing.name() }.to_string()
    );
    for side in ["", ".accounts"] {
        let file = TemporaryFile::new();
        drop(file.open().await);
        let path = format!("{}{side}", file.path().display());
        let older =
            "DELETE FROM schema_migration WHERE version = (SELECT MAX(version) FROM schema_migration)";
        rusqlite::Connection::open(path).unwrap().execute_batch(older).unwrap();
        let before = file.contents();
        assert_eq!(refusal(&file, &target).await, StoreError::Outdated { database: file.name() }.to_string());
        assert!(file.contents() == before);
    }
    let server = TemporaryDatabase::new();
    let older = "DELETE FROM lastro_migration WHERE version = (SELECT MAX(version) FROM lastro_migration)";
    server.change(older);
    assert!(refusal(&server, &target).await.contains("older version of Lastro"));
    assert!(refusal(&TemporaryDatabase::bare(), &target).await.contains("which is empty"));
    assert!(target.contents().is_empty(), "the target was made although nothing can be moved");
}
