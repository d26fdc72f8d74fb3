//! SIGHUP: reads the settings again, and applies those that can change while the service runs.

use std::sync::Arc;
use std::time::Duration;

use lastro_config::Given;
use lastro_config::telemetry::LogFilter;

use super::settings;
use crate::service::Service;

/// The settings that are applied at once. The files of the certificate and of the secrets of payments are read again,
/// too, under the same names.
const APPLIED: [&str; 3] = ["drain", "log", "trusted-proxies"];

/// The settings in force and the parts that a reload changes, beside the service.
#[derive(Debug)]
pub struct Reloader {
    /// The settings that the service was started with.
    pub given: Given,
    pub log: LogFilter,
}

impl Reloader {
    /// Reads the settings again. If any is invalid, nothing changes.
    pub(super) async fn reload(&self, service: &Service, drain: &mut Duration) {
        if let Err(error) = self.apply(service, drain).await {
            tracing::error!("the settings cannot be used; nothing was changed: {error:#}");
        }
    }

    async fn apply(&self, service: &Service, drain: &mut Duration) -> anyhow::Result<()> {
        let lastro_config::Loaded { mut cli, given } = lastro_config::read_again()?;
        let common = cli.common.clone();
        let Some(serve) = cli.serve_settings() else { return Ok(()) };
        // A setting for the next start must not prevent it.
        settings::check(&common, serve)?;
        let proxies = serve.trusted_proxies()?;
        if let Some(billing) = &service.app.billing {
            billing.read_secrets_again().await?;
        }
        *drain = serve.drain;
        service.app.access.proxies.store(Arc::new(proxies));
        self.log.set(cli.common.log.as_deref());
        if let Some(certificate) = service.app.certificate.clone() {
            tokio::task::spawn_blocking(move || certificate.look()).await?;
        }
        let mut kept = self.given.changed(&given);
        kept.retain(|name| !APPLIED.contains(&name.as_str()));
        tracing::info!("the settings were read again");
        if !kept.is_empty() {
            tracing::warn!("these settings changed and take effect at the next start: {}", kept.join(", "));
        }
        Ok(())
    }
}
