//! A strict reader for CSV responses, and the CSV expected for a JSON response.

use serde::Deserialize;
use serde_json::value::RawValue;

/// One of the two CSV dialects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub locale: &'static str,
    pub delimiter: u8,
    pub point: char,
    pub mark: &'static str,
}

pub(crate) const DIALECTS: [Dialect; 2] = [
    Dialect { locale: "en", delimiter: b',', point: '.', mark: "" },
    Dialect { locale: "pt-BR", delimiter: b';', point: ',', mark: "\u{feff}" },
];

/// Rows of cells, the header row first.
pub(crate) type Rows = Vec<Vec<String>>;

impl Dialect {
    /// Reads a file. Panics if it does not match this dialect exactly.
    pub(crate) fn read(self, text: &str) -> Rows {
        let text = text.strip_prefix(self.mark).expect("the mark at the beginning");
        assert!(text.ends_with("\r\n") && !text.contains('\u{feff}'));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(self.delimiter)
            .has_headers(false)
            .from_reader(text.as_bytes());
        let rows: Rows =
            reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        assert_eq!(self.written(&rows), text, "another writer of RFC 4180 writes the same");
        rows
    }

    /// A minimal writer: quotes where needed, lines end with CRLF.
    fn written(self, rows: &Rows) -> String {
        let special = [char::from(self.delimiter), '"', '\r', '\n'];
        let cell = |cell: &String| match cell.contains(special) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(cell).collect();
            cells.join(&char::from(self.delimiter).to_string()) + "\r\n"
        };
        rows.iter().map(line).collect()
    }

    /// JSON objects as expected in a file, with the member names of the first as header.
    pub(crate) fn of_objects<'j>(self, objects: impl IntoIterator<Item = &'j Object>) -> Rows {
        let mut rows = Rows::new();
        for object in objects {
            if rows.is_empty() {
                rows.push(object.0.iter().map(|(name, _)| name.clone()).collect());
            }
            rows.push(object.0.iter().map(|(_, value)| self.cell(value)).collect());
        }
        rows
    }

    pub(crate) fn cell(self, value: &RawValue) -> String {
        match value.get() {
            "null" => String::new(),
            object if object.starts_with('{') => {
                let parts = serde_json::from_str::<Object>(object).unwrap().0;
                let plain = |(_, part): &(String, Box<RawValue>)| part.get().trim_matches('"').to_owned();
                let given = parts.iter().filter(|(_, part)| part.get() != "null");
                given.map(plain).collect::<Vec<_>>().join(" ")
            }
            list if list.starts_with('[') => serde_json::from_str::<Vec<String>>(list).unwrap().join(" "),
            text if text.starts_with('"') => guarded(&serde_json::from_str::<String>(text).unwrap()),
            number => number.replace('.', &self.point.to_string()),
        }
    }
}

/// Prefixes a text that a spreadsheet might run with an apostrophe.
pub(crate) fn guarded(text: &str) -> String {
    let apostrophe = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("{apostrophe}{text}")
}

/// A JSON object with its members in order and its numbers as written.
#[derive(Debug)]
pub(crate) struct Object(pub Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> serde::de::Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<Object, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl Object {
    pub(crate) fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| &**value)
    }

    /// The objects in an array member.
    pub(crate) fn objects(&self, name: &str) -> Vec<Object> {
        serde_json::from_str(self.get(name).expect(name).get()).unwrap()
    }
}
