//! The checksum of a row, which shows bits that changed on disk or in memory since it was written.

use crc32fast::Hasher;

use super::Value;

/// Of the values of a row, in their order. No single bit, and no two, can change without it.
pub(crate) fn checksum(values: &[Value<'_>]) -> u32 {
    let mut hasher = Hasher::new();
    for value in values {
        match value {
            Value::Null => hasher.update(b"n"),
            Value::Integer(number) => {
                hasher.update(b"i");
                hasher.update(&number.to_le_bytes());
            }
            // Its length first: the end of one text is no beginning of the next.
            Value::Text(text) => {
                hasher.update(b"t");
                hasher.update(&(text.len() as u64).to_le_bytes());
                hasher.update(text.as_bytes());
            }
        }
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_look_alike_have_other_checksums() {
        let rows: [&[Value<'_>]; 6] = [
            &["ab".into(), "c".into()],
            &["a".into(), "bc".into()],
            &["abc".into()],
            &[Value::Null, "1".into()],
            &["".into(), "1".into()],
            &["".into(), 1i64.into()],
        ];
        let mut checksums = rows.map(checksum).to_vec();
        checksums.sort_unstable();
        checksums.dedup();
        assert_eq!(checksums.len(), rows.len());
    }
}
