//! A cache of compressed bodies by content: a body requested repeatedly is not compressed each time.
//!
//! The key is the complete body, so nothing needs invalidation: another edition has other bytes. A body is cached at
//! its second request, so that bodies requested once evict nothing.

use std::hash::BuildHasher;
use std::io;

use bytes::Bytes;
use hashbrown::DefaultHashBuilder;
use lastro_encoding::Coding;
use parking_lot::Mutex;

/// Most bodies cached; each body can use one entry only.
const ENTRIES: usize = 128;
/// Largest body cached. Larger ones are rare and would fill the memory: all entries together take less than 17 MB.
pub const LARGEST: usize = 64 * 1024;

#[derive(Debug)]
pub struct CompressionCache {
    entries: Box<[Mutex<Entry>]>,
    hasher: DefaultHashBuilder,
}

#[derive(Debug, Default)]
struct Entry {
    kept: Option<Kept>,
    /// Hash of the last body that was not cached: if it is requested again, it is cached.
    seen: u64,
}

#[derive(Debug)]
struct Kept {
    coding: Coding,
    plain: Bytes,
    compressed: Bytes,
}

impl Default for CompressionCache {
    fn default() -> Self {
        let entries = (0..ENTRIES).map(|_| Mutex::default()).collect();
        Self { entries, hasher: DefaultHashBuilder::default() }
    }
}

impl CompressionCache {
    /// The body in this coding: from the cache, or made by `compress`.
    pub fn get(
        &self,
        body: &Bytes,
        coding: Coding,
        compress: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<Bytes> {
        if body.len() > LARGEST {
            return compress().map(Bytes::from);
        }
        let hash = self.hasher.hash_one((coding, &body[..]));
        let entry = &self.entries[hash as usize % ENTRIES];
        if let Some(kept) = &entry.lock().kept
            && kept.coding == coding
            && kept.plain == body
        {
            return Ok(kept.compressed.clone());
        }
        let compressed = Bytes::from(compress()?);
        let mut entry = entry.lock();
        if std::mem::replace(&mut entry.seen, hash) == hash {
            entry.kept = Some(Kept { coding, plain: body.clone(), compressed: compressed.clone() });
        }
        Ok(compressed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(cache: &CompressionCache, body: &Bytes, coding: Coding, count: &mut usize) -> Bytes {
        let made = cache.get(body, coding, || {
            *count += 1;
            Ok(format!("{coding:?} of {} bytes", body.len()).into_bytes())
        });
        made.unwrap()
    }

    #[test]
    fn a_body_is_cached_at_its_second_request() {
        let (cache, body, mut count) = (CompressionCache::default(), Bytes::from(vec![b'x'; 2000]), 0);
        for _ in 0..5 {
            assert_eq!(counted(&cache, &body, Coding::Gzip, &mut count), "Gzip of 2000 bytes");
        }
        assert_eq!(count, 2);
        assert_eq!(counted(&cache, &body, Coding::Zstd, &mut count), "Zstd of 2000 bytes");
        assert_eq!(count, 3, "another coding is another body");
    }

    #[test]
    fn bodies_requested_once_evict_nothing() {
        let (cache, body, mut count) = (CompressionCache::default(), Bytes::from(vec![b'x'; 2000]), 0);
        counted(&cache, &body, Coding::Gzip, &mut count);
        counted(&cache, &body, Coding::Gzip, &mut count);
        for number in 0..10_000 {
            counted(&cache, &Bytes::from(format!("body {number}")), Coding::Gzip, &mut count);
        }
        let before = count;
        counted(&cache, &body, Coding::Gzip, &mut count);
        assert_eq!(count, before);
    }

    #[test]
    fn large_bodies_are_never_kept() {
        let (cache, body, mut count) = (CompressionCache::default(), Bytes::from(vec![b'x'; LARGEST + 1]), 0);
        (0..4).for_each(|_| drop(counted(&cache, &body, Coding::Brotli, &mut count)));
        assert_eq!(count, 4);
    }

    #[test]
    fn a_failure_is_returned_and_not_cached() {
        let (cache, body) = (CompressionCache::default(), Bytes::from_static(b"body"));
        assert!(cache.get(&body, Coding::Gzip, || Err(io::Error::other("no"))).is_err());
        assert_eq!(counted(&cache, &body, Coding::Gzip, &mut 0), "Gzip of 4 bytes");
    }
}
