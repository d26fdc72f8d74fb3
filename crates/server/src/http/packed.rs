//! Compressed bodies kept by their content: what is asked again and again is compressed once.
//!
//! A body is found by all of its bytes, so there is nothing to invalidate: another edition gives other bytes. It is
//! kept when it comes a second time, so that pages asked once push out nothing. Used by `encoding`.

use std::hash::BuildHasher;
use std::io;

use bytes::Bytes;
use hashbrown::DefaultHashBuilder;
use parking_lot::Mutex;

use super::encoding::Coding;

/// Each body has one place, so this many are kept at most.
const PLACES: usize = 128;
/// Larger ones are rare and would fill the memory: all places together hold less than seventeen megabytes.
const LARGEST: usize = 64 * 1024;

#[derive(Debug)]
pub struct Packed {
    places: Box<[Mutex<Place>]>,
    hasher: DefaultHashBuilder,
}

#[derive(Debug, Default)]
struct Place {
    kept: Option<Kept>,
    /// The body that came last and is not kept: if it comes again, it is.
    seen: u64,
}

#[derive(Debug)]
struct Kept {
    coding: Coding,
    plain: Bytes,
    packed: Bytes,
}

impl Default for Packed {
    fn default() -> Self {
        let places = (0..PLACES).map(|_| Mutex::default()).collect();
        Self { places, hasher: DefaultHashBuilder::default() }
    }
}

impl Packed {
    /// The body in this coding: as it was kept, or as `pack` makes it.
    pub fn of(
        &self,
        body: &Bytes,
        coding: Coding,
        pack: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<Bytes> {
        if body.len() > LARGEST {
            return pack().map(Bytes::from);
        }
        let hash = self.hasher.hash_one((coding, &body[..]));
        let place = &self.places[hash as usize % PLACES];
        if let Some(kept) = &place.lock().kept
            && kept.coding == coding
            && kept.plain == body
        {
            return Ok(kept.packed.clone());
        }
        let packed = Bytes::from(pack()?);
        let mut place = place.lock();
        if std::mem::replace(&mut place.seen, hash) == hash {
            place.kept = Some(Kept { coding, plain: body.clone(), packed: packed.clone() });
        }
        Ok(packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(packed: &Packed, body: &Bytes, coding: Coding, count: &mut usize) -> Bytes {
        let made = packed.of(body, coding, || {
            *count += 1;
            Ok(format!("{coding:?} of {} bytes", body.len()).into_bytes())
        });
        made.unwrap()
    }

    #[test]
    fn a_body_is_packed_twice_and_then_kept() {
        let (packed, body, mut count) = (Packed::default(), Bytes::from(vec![b'x'; 2000]), 0);
        for _ in 0..5 {
            assert_eq!(counted(&packed, &body, Coding::Gzip, &mut count), "Gzip of 2000 bytes");
        }
        assert_eq!(count, 2);
        assert_eq!(counted(&packed, &body, Coding::Zstd, &mut count), "Zstd of 2000 bytes");
        assert_eq!(count, 3, "another coding is another body");
    }

    #[test]
    fn bodies_asked_once_push_nothing_out() {
        let (packed, body, mut count) = (Packed::default(), Bytes::from(vec![b'x'; 2000]), 0);
        counted(&packed, &body, Coding::Gzip, &mut count);
        counted(&packed, &body, Coding::Gzip, &mut count);
        for number in 0..10_000 {
            counted(&packed, &Bytes::from(format!("body {number}")), Coding::Gzip, &mut count);
        }
        let before = count;
        counted(&packed, &body, Coding::Gzip, &mut count);
        assert_eq!(count, before);
    }

    #[test]
    fn large_bodies_are_never_kept() {
        let (packed, body, mut count) = (Packed::default(), Bytes::from(vec![b'x'; LARGEST + 1]), 0);
        (0..4).for_each(|_| drop(counted(&packed, &body, Coding::Brotli, &mut count)));
        assert_eq!(count, 4);
    }

    #[test]
    fn a_failure_is_handed_on_and_forgotten() {
        let (packed, body) = (Packed::default(), Bytes::from_static(b"body"));
        assert!(packed.of(&body, Coding::Gzip, || Err(io::Error::other("no"))).is_err());
        assert_eq!(counted(&packed, &body, Coding::Gzip, &mut 0), "Gzip of 4 bytes");
    }
}
