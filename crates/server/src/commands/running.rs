//! Whether the process that holds a port is a Lastro, for `lastro check`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Response};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};

use super::health::on_this_machine;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether a Lastro answers its clients at this address, with TLS or without.
pub(super) async fn answers_clients(address: SocketAddr) -> bool {
    for scheme in ["http", "https"] {
        // Every response of ours has these, whatever its status.
        let is_ours = |response: Response| {
            ["x-plan", "x-ratelimit-limit"].iter().all(|name| response.headers().contains_key(*name))
        };
        if get(scheme, address, "/health").await.is_some_and(is_ours) {
            return true;
        }
    }
    false
}

/// Whether the operator's listener of a Lastro answers at this address.
pub(super) async fn answers_operators(address: SocketAddr) -> bool {
    let Some(response) = get("http", address, "/metrics").await else { return false };
    response.text().await.is_ok_and(|text| text.contains("\nlastro_ready "))
}

async fn get(scheme: &str, address: SocketAddr, path: &str) -> Option<Response> {
    let url = format!("{scheme}://{}{path}", on_this_machine(address));
    client()?.get(url).send().await.ok()
}

fn client() -> Option<Client> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(AnyCertificate(Arc::clone(&provider)));
    let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    let tls = tls.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    let client = Client::builder().tls_backend_preconfigured(tls).no_proxy();
    client.redirect(reqwest::redirect::Policy::none()).timeout(ANSWER_TIMEOUT).build().ok()
}

/// Accepts every certificate: it is issued for the public name and not for this address, and the request holds no secret.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
