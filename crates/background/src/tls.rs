//! TLS for outgoing connections: verified by the public certificate authorities, compiled in.

use std::sync::Arc;

/// The TLS configuration of HTTP clients. It uses ring and reads no file of the machine.
pub fn client_config() -> anyhow::Result<rustls::ClientConfig> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// An HTTP client builder with this configuration.
pub fn client() -> anyhow::Result<reqwest::ClientBuilder> {
    Ok(reqwest::Client::builder().tls_backend_preconfigured(client_config()?))
}
