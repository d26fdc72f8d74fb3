//! How we check whom we talk to: the public certificate authorities, compiled in.

use std::sync::Arc;

/// For clients of the web, with ring and without any file of the machine.
pub fn client_config() -> anyhow::Result<rustls::ClientConfig> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// A client of the web that checks so, to be told the rest.
pub fn client() -> anyhow::Result<reqwest::ClientBuilder> {
    Ok(reqwest::Client::builder().tls_backend_preconfigured(client_config()?))
}
