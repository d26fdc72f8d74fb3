//! An HTTP response of the JSON publishers: the status alone says little, the body decides.

use lastro_model::text::has_control;

/// A complete response to a request.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    /// The name used in rejects and faults.
    pub file: &'a str,
    pub status: u16,
    pub content_type: Option<&'a str>,
    pub body: &'a [u8],
}

impl std::fmt::Debug for Answer<'_> {
    /// Omits the body, which may be megabytes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("file", &self.file)
            .field("status", &self.status)
            .field("content_type", &self.content_type)
            .field("bytes", &self.body.len())
            .finish()
    }
}

/// Error objects are short; a longer body is not searched for a phrase.
const LONGEST_ERROR: usize = 8 * 1024;

/// Longest content type shown; a longer one is not a known type.
const LONGEST_TYPE: usize = 100;

impl Answer<'_> {
    /// Whether the body is a JSON object that contains this phrase, as the publishers' error objects do.
    pub(crate) fn error_says(&self, phrase: &str) -> bool {
        self.body.len() <= LONGEST_ERROR
            && self.first_byte() == Some(b'{')
            && self.body.windows(phrase.len()).any(|part| part == phrase.as_bytes())
    }

    /// One sentence about a response that is not data, without quoting it.
    pub(crate) fn in_place_of_data(&self) -> String {
        let kind = match self.first_byte() {
            None => "an empty body",
            Some(b'<') => "an HTML page",
            Some(b'{') => "a JSON object that is not the data",
            Some(b'[') => "a JSON list that is cut short or broken",
            Some(_) => "a body that is not JSON",
        };
        let printable = |given: &&str| given.len() <= LONGEST_TYPE && !has_control(given);
        let declared =
            self.content_type.filter(printable).map_or_else(String::new, |given| format!(" ({given})"));
        format!("{}: the publisher answered status {} with {kind}{declared}", self.file, self.status)
    }

    fn first_byte(&self) -> Option<u8> {
        let text = self.body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(self.body);
        text.iter().copied().find(|byte| !byte.is_ascii_whitespace())
    }
}
