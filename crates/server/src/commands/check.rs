//! `lastro check`: whether a server could start with these settings, without starting one and without changing anything.
//! Standard output carries one line for each check and nothing else.
#![allow(clippy::print_stdout)]

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use anyhow::Context;
use lastro_config::telemetry;
use lastro_config::{CheckArgs, Common, Serve, unknown_variables};
use lastro_store::StoreError;
use rustix::fs::Access;
use serde::Serialize;

use super::{running, settings};
use crate::http::certificate::{Certificate, Complaint};
use crate::{descriptors, pepper};
use lastro_billing::Offers;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    /// Something to look at that prevents no start.
    Warning,
    Failed,
}

#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    status: Status,
    detail: String,
}

/// The findings so far, in the order of the checks.
#[derive(Debug, Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn note(&mut self, check: &'static str, status: Status, detail: impl Into<String>) {
        self.0.push(Finding { check, status, detail: detail.into() });
    }

    /// Notes a failure with its reason, or a success with its sentence.
    fn result(&mut self, check: &'static str, result: anyhow::Result<String>) {
        match result {
            Ok(detail) => self.note(check, Status::Ok, detail),
            Err(error) => self.note(check, Status::Failed, format!("{error:#}")),
        }
    }

    fn count(&self, status: Status) -> usize {
        self.0.iter().filter(|finding| finding.status == status).count()
    }
}

pub async fn run(common: &Common, arguments: &CheckArgs) -> anyhow::Result<()> {
    let (serve, mut findings) = (&arguments.serve, Findings::default());
    usable(serve, &mut findings);
    listeners(serve, &mut findings).await;
    if serve.tls.tls_cert.is_some() || serve.tls.tls_key.is_some() {
        certificate(serve, &mut findings);
    }
    database(common, &mut findings).await;
    for (check, directory) in [("index-dir", &serve.index_dir), ("spool-dir", &serve.spool_dir)] {
        if let Some(directory) = directory {
            cache(check, directory, &mut findings);
        }
    }
    redis(serve, &mut findings).await;
    payments(serve, &mut findings).await;
    print(&findings, arguments.json)?;
    let failed = findings.count(Status::Failed);
    anyhow::ensure!(failed == 0, "{failed} of {} checks failed", findings.0.len());
    Ok(())
}

fn print(findings: &Findings, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        println!("{}", serde_json::to_string(&findings.0)?);
        return Ok(());
    }
    for Finding { check, status, detail } in &findings.0 {
        let status = match status {
            Status::Ok => "ok",
            Status::Warning => "warning",
            Status::Failed => "FAILED",
        };
        println!("{status:<7}  {check:<12}  {detail}");
    }
    Ok(())
}

/// Settings that parse one by one may still be unusable.
fn usable(serve: &Serve, findings: &mut Findings) {
    let all = || {
        serve.trusted_proxies()?;
        serve.tls.files()?;
        descriptors::connections()?;
        anyhow::Ok("all can be used".to_owned())
    };
    findings.result("settings", all());
    let unknown = unknown_variables(std::env::vars_os().map(|(name, _)| name));
    for complaint in telemetry::complaint().into_iter().chain(unknown) {
        findings.note("environment", Status::Warning, complaint);
    }
}

fn certificate(serve: &Serve, findings: &mut Findings) {
    let opened = match Certificate::open(&serve.tls) {
        Ok(opened) => opened,
        Err(error) => return findings.result("certificate", Err(error)),
    };
    let status = match opened.as_ref().and_then(Certificate::complaint) {
        Some(Complaint::Expired(since)) => (Status::Failed, format!("it expired on {since}")),
        Some(Complaint::ExpiresSoon(on)) => (Status::Warning, format!("it expires on {on}")),
        None => (Status::Ok, "certificate and key belong together".to_owned()),
    };
    findings.note("certificate", status.0, status.1);
}

async fn listeners(serve: &Serve, findings: &mut Findings) {
    if let Err(error) = TcpListener::bind(serve.listen) {
        let is_ours = running::answers_clients(serve.listen).await;
        in_use("listen", serve.listen, &error, is_ours, findings);
    } else {
        findings.note("listen", Status::Ok, format!("{} is free", serve.listen));
    }
    let Some(address) = serve.admin_listen.0 else { return };
    if let Err(error) = TcpListener::bind(address) {
        let is_ours = running::answers_operators(address).await;
        in_use("admin-listen", address, &error, is_ours, findings);
    } else {
        findings.note("admin-listen", Status::Ok, format!("{address} is free"));
    }
}

/// Notes a port that cannot be used. That a Lastro which is running has it is the usual case, and no fault.
fn in_use(
    check: &'static str,
    address: SocketAddr,
    error: &std::io::Error,
    is_ours: bool,
    findings: &mut Findings,
) {
    if is_ours && error.kind() == ErrorKind::AddrInUse {
        findings.note(check, Status::Warning, format!("{address} is in use, by a Lastro that is running"));
    } else {
        findings.note(check, Status::Failed, format!("cannot listen on {address}: {error}"));
    }
}

async fn database(common: &Common, findings: &mut Findings) {
    let opened = lastro_store::open_untouched(&common.database, &common.store_options()).await;
    let pepper_file = pepper::path_of(common);
    match opened {
        Ok(store) => {
            findings.note("database", Status::Ok, "it can be read and has the schema of this version");
            let checked = match &pepper_file {
                Ok(path) => pepper::check(&*store, path).await.and_then(|()| pepper::check_file(path)),
                Err(_) => Ok(()),
            };
            findings
                .result("pepper", pepper_file.and(checked).map(|()| "it belongs to the database".to_owned()));
        }
        Err(error) => {
            match error {
                StoreError::Missing { .. } => {
                    findings.note("database", Status::Ok, "there is none yet; the start creates it");
                }
                StoreError::Outdated { .. } => {
                    findings.note("database", Status::Ok, "the start brings its older schema up to date");
                }
                error => return findings.result("database", Err(error.into())),
            }
            let checked = pepper_file.and_then(|path| pepper::check_file(&path));
            findings.result("pepper", checked.map(|()| "it can be used, or created".to_owned()));
        }
    }
    findings.result("writing", writing(common).await.map(|()| "the database can be written".to_owned()));
}

async fn writing(common: &Common) -> anyhow::Result<()> {
    let Some(data) = lastro_store::sqlite_path(&common.database) else {
        return match lastro_store::rehearse_write(&common.database, &common.store_options()).await {
            Ok(()) | Err(StoreError::Missing { .. } | StoreError::Outdated { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        };
    };
    let mut accounts = data.clone().into_os_string();
    accounts.push(".accounts");
    for file in [data.as_path(), Path::new(&accounts)].into_iter().filter(|file| file.exists()) {
        writable(file)?;
    }
    // SQLite keeps its log beside the file.
    writable(data.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}

fn writable(path: &Path) -> anyhow::Result<()> {
    rustix::fs::access(path, Access::WRITE_OK)
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// A cache that cannot be written only makes starts or synchronisations slower. Missing directories are created.
fn cache(check: &'static str, directory: &Path, findings: &mut Findings) {
    let existing = directory.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    let is_usable = existing.is_dir() && writable(existing).is_ok();
    if is_usable {
        findings.note(check, Status::Ok, format!("{} can be written", directory.display()));
    } else {
        let detail = format!("{} cannot be written, so nothing is kept there", directory.display());
        findings.note(check, Status::Warning, detail);
    }
}

async fn redis(serve: &Serve, findings: &mut Findings) {
    match serve.redis.checked() {
        Ok(None) => {}
        Ok(Some(settings)) => {
            let tried = lastro_quota::try_out(settings).await;
            let tried = tried.map_err(|reason| anyhow::anyhow!("it cannot be used: {reason}"));
            findings.result("redis", tried.map(|()| "it answers".to_owned()));
        }
        Err(error) => findings.result("redis", Err(error)),
    }
}

/// The service starts and serves while Stripe cannot be reached or a price is wrong; payments wait.
async fn payments(serve: &Serve, findings: &mut Findings) {
    match settings::stripe(serve) {
        Ok(None) => {}
        Ok(Some(stripe)) => match Offers::read(&stripe, &serve.billing.stripe_prices).await {
            Ok(_) => findings.note("payments", Status::Ok, "Stripe has all prices"),
            Err(error) => {
                let detail = format!("they are not possible until this is mended: {error}");
                findings.note("payments", Status::Warning, detail);
            }
        },
        Err(error) => findings.result("payments", Err(error)),
    }
}
