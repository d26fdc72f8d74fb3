//! The checksum of a row, which detects bits that changed on disk or in memory since it was written.

use crc32fast::Hasher;

use super::Value;

/// Checksum of the values of a row, in order. It detects any change of one or two bits.
pub(crate) fn checksum(values: &[Value<'_>]) -> u32 {
    let mut hasher = Hasher::new();
    feed(values, &mut |bytes| hasher.update(bytes));
    hasher.finalize()
}

/// Passes the values to a hash function, in a form that differs for different values.
pub(crate) fn feed(values: &[Value<'_>], update: &mut dyn FnMut(&[u8])) {
    for value in values {
        match value {
            Value::Null => update(b"n"),
            Value::Integer(number) => {
                update(b"i");
                update(&number.to_le_bytes());
            }
            // The length comes first, so that texts cannot run into each other.
            Value::Text(text) => {
                update(b"t");
                update(&(text.len() as u64).to_le_bytes());
                update(text.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_rows_have_distinct_checksums() {
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
