//! Settings of the Redis in which all replicas count limits together.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

#[derive(Debug, Clone, Args)]
pub struct RedisSettings {
    /// Redis or Valkey server that counts limits for all replicas, such as `redis://host:6379` or
    /// `rediss://user:password@host:6379`; without it each replica counts alone
    #[arg(long, env = "LASTRO_REDIS", hide_env_values = true, hide_default_value = true, value_name = "URL")]
    pub redis: Option<RedisUrl>,
    /// File with that URL in its first line, instead of --redis, for URLs with a password
    #[arg(long, env = "LASTRO_REDIS_FILE", value_name = "FILE")]
    pub redis_file: Option<PathBuf>,
    /// Certificate authorities (PEM) for `rediss://` [default: the public ones]
    #[arg(long, env = "LASTRO_REDIS_CA", value_name = "FILE")]
    pub redis_ca: Option<PathBuf>,
    /// Prefix of all keys in Redis; fleets that share a Redis need one each
    #[arg(long, env = "LASTRO_REDIS_PREFIX", default_value = "lastro", value_name = "TEXT")]
    pub redis_prefix: String,
    /// Timeout of a reply from Redis.
    #[arg(skip = lastro_quota::BUDGET)]
    pub redis_budget: Duration,
}

impl RedisSettings {
    /// Validates the settings; `None` without a Redis.
    pub fn checked(&self) -> anyhow::Result<Option<lastro_quota::Settings>> {
        let Some(url) = &self.redis else {
            anyhow::ensure!(self.redis_ca.is_none(), "--redis-ca is useful only with --redis");
            return Ok(None);
        };
        let settings = lastro_quota::Settings::new(&url.0, self.redis_ca.as_deref(), &self.redis_prefix);
        let settings = settings.context("--redis")?;
        Ok(Some(settings.with_budget(self.redis_budget)))
    }
}

/// A URL that may hold a password, so it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl(pub String);

impl FromStr for RedisUrl {
    type Err = Infallible;

    /// Accepts any text. An invalid URL is rejected later, because the command line parser would print it.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedisUrl(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: Option<&str>, authorities: Option<&str>) -> RedisSettings {
        RedisSettings {
            redis: url.map(|url| RedisUrl(url.to_owned())),
            redis_file: None,
            redis_ca: authorities.map(PathBuf::from),
            redis_prefix: "lastro".to_owned(),
            redis_budget: lastro_quota::BUDGET,
        }
    }

    #[test]
    fn a_password_is_shown_nowhere() {
        let wrong = settings(Some("redis://:s3cret@host:port"), None);
        assert!(!format!("{wrong:?}").contains("s3cret"));
        let error = wrong.checked().unwrap_err();
        assert!(!format!("{error:#}").contains("s3cret"), "{error:#}");
    }

    #[test]
    fn a_redis_ca_without_a_redis_is_rejected() {
        assert!(settings(None, None).checked().unwrap().is_none());
        assert!(settings(None, Some("ca.pem")).checked().is_err());
        assert!(settings(Some("redis://host"), None).checked().unwrap().is_some());
    }
}
