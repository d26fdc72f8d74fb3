//! A JSON object that keeps the order of its members and the digits of its numbers.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::message::text_of;

/// The members of a JSON object, in their order and with their numbers as they were written.
#[derive(Debug, Default)]
pub(super) struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(InOrder).map(Self)
    }
}

impl<'a> Members<'a> {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(text_of).map(std::borrow::Cow::into_owned)
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.get().parse().ok()
    }

    /// The rows of the answer, with the name of their list.
    pub(super) fn rows(&self) -> Option<(&str, Vec<&'a RawValue>)> {
        let (name, list) = self.iter().find(|(name, _)| ["data", "receipt"].contains(name))?;
        Some((name, serde_json::from_str(list.get()).ok()?))
    }
}
