//! Random ids with a prefix that says what they name.

/// Defines an id that is a prefix and 24 random hexadecimal digits.
macro_rules! name_with_prefix {
    ($(#[$meta:meta])* $name:ident, $prefix:literal, $form:literal) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Makes an id from random bytes, so that it is unique and cannot be guessed.
            pub fn from_random(bytes: [u8; 12]) -> Self {
                Self(format!(concat!($prefix, "{}"), crate::hex::encode(&bytes)).into())
            }

            pub fn parse(text: &str) -> Result<Self, crate::ParseError> {
                let digits = text.strip_prefix($prefix).unwrap_or_default();
                if digits.len() == 24 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                    Ok(Self(text.into()))
                } else {
                    Err(crate::ParseError($form))
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use name_with_prefix;
