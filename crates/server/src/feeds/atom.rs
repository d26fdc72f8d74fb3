//! Atom documents (RFC 4287).

use std::fmt::Write;

use jiff::Timestamp;

/// A feed to be written.
#[derive(Debug)]
pub struct AtomFeed<'a> {
    /// The part of its id after `tag:lastro,2026:`.
    pub tag: String,
    pub title: &'a str,
    /// The address of this document.
    pub address: &'a str,
    /// The page for people.
    pub page: &'a str,
    pub updated: Timestamp,
    pub entries: Vec<AtomEntry>,
}

#[derive(Debug)]
pub struct AtomEntry {
    pub tag: String,
    pub title: String,
    pub updated: Timestamp,
    pub link: String,
    pub text: String,
}

pub const CONTENT_TYPE: &str = "application/atom+xml; charset=utf-8";

impl AtomFeed<'_> {
    pub fn xml(&self) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n",
        );
        let Self { tag, title, address, page, updated, entries } = self;
        // Writing to memory does not fail.
        let _ = writeln!(
            out,
            "<id>tag:lastro,2026:{}</id>\n<title>{}</title>\n<updated>{updated}</updated>\n\
             <author><name>Lastro</name></author>\n<link rel=\"self\" type=\"application/atom+xml\" href=\"{}\"/>\n\
             <link rel=\"alternate\" href=\"{}\"/>",
            escaped(tag),
            escaped(title),
            escaped(address),
            escaped(page)
        );
        entries.iter().for_each(|entry| entry.write(&mut out));
        out.push_str("</feed>\n");
        out
    }
}

impl AtomEntry {
    fn write(&self, out: &mut String) {
        let Self { tag, title, updated, link, text } = self;
        let _ = writeln!(
            out,
            "<entry>\n<id>tag:lastro,2026:{}</id>\n<title>{}</title>\n<updated>{updated}</updated>\n\
             <link rel=\"alternate\" href=\"{}\"/>\n<content type=\"text\">{}</content>\n</entry>",
            escaped(tag),
            escaped(title),
            escaped(link),
            escaped(text)
        );
    }
}

/// The text without characters that XML cannot hold, and with those escaped that mean something in it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            control if control.is_control() || matches!(control, '\u{fffe}' | '\u{ffff}') => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_controls_left_out() {
        assert_eq!(escaped("a<b> & \"c\"\u{1}\n\u{ffff}ç"), "a&lt;b&gt; &amp; &quot;c&quot; ç");
    }
}
