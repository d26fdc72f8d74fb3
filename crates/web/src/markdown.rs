//! Renders the subset of Markdown that our own texts use: headings, lists, paragraphs, code, emphasis and links; no
//! tables. Only texts of this repository are rendered, and everything in them is escaped all the same.

use std::fmt::Write as _;

/// The text as HTML.
pub(crate) fn html(text: &str) -> String {
    let mut page = Page { out: String::with_capacity(text.len() * 5 / 4), open: Block::None };
    text.lines().for_each(|line| page.line(line));
    page.close();
    page.out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    None,
    Paragraph,
    Item,
}

struct Page {
    out: String,
    open: Block,
}

impl Page {
    fn line(&mut self, line: &str) {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if line.trim().is_empty() {
            self.close();
        } else if (1..=4).contains(&level) {
            self.close();
            let text = inline(line[level..].trim());
            // Writing into memory does not fail.
            let _ = writeln!(self.out, "<h{level}>{text}</h{level}>");
        } else if let Some(item) = line.strip_prefix("- ") {
            self.item(item);
        } else {
            self.go_on(line.trim());
        }
    }

    fn item(&mut self, text: &str) {
        if self.open != Block::Item {
            self.close();
            self.out.push_str("<ul>\n<li>");
        } else {
            self.out.push_str("</li>\n<li>");
        }
        self.open = Block::Item;
        self.out.push_str(&inline(text));
    }

    /// Appends a line to the open block, or begins a paragraph.
    fn go_on(&mut self, text: &str) {
        if self.open == Block::None {
            self.out.push_str("<p>");
            self.open = Block::Paragraph;
        } else {
            self.out.push('\n');
        }
        self.out.push_str(&inline(text));
    }

    fn close(&mut self) {
        self.out.push_str(match self.open {
            Block::None => "",
            Block::Paragraph => "</p>\n",
            Block::Item => "</li>\n</ul>\n",
        });
        self.open = Block::None;
    }
}

/// Renders the inline markup of a line. Code is split off first, because markup inside it has no meaning.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (place, piece) in text.split('`').enumerate() {
        let piece = escaped(piece);
        if place % 2 == 1 {
            let _ = write!(out, "<code>{piece}</code>");
        } else {
            out.push_str(&linked(&emphasised(&piece)));
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Renders `**strong**`. Unpaired marks stay as they are.
fn emphasised(text: &str) -> String {
    let pieces: Vec<&str> = text.split("**").collect();
    if pieces.len().is_multiple_of(2) {
        return text.to_owned();
    }
    pieces.iter().enumerate().fold(String::new(), |mut out, (place, piece)| {
        let _ = if place % 2 == 1 { write!(out, "<strong>{piece}</strong>") } else { write!(out, "{piece}") };
        out
    })
}

/// Renders `[text](/path)`. Links to other sites become plain text.
fn linked(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, label, target, after)) = next_link(rest) {
        out.push_str(before);
        let _ = if target.starts_with(['/', '#']) {
            write!(out, "<a href=\"{target}\">{label}</a>")
        } else {
            write!(out, "{label}")
        };
        rest = after;
    }
    out.push_str(rest);
    out
}

fn next_link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (label, rest) = rest.split_once("](")?;
    let (target, after) = rest.split_once(')')?;
    Some((before, label, target, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_our_texts_use_become_html() {
        let text =
            "# A & B\n\nOne\ntwo `x < [y](/z)` **bold** [there](/series).\n\n- first\n  goes on\n- second\n";
        assert_eq!(
            html(text),
            "<h1>A &amp; B</h1>\n<p>One\ntwo <code>x &lt; [y](/z)</code> <strong>bold</strong> <a href=\"/series\">there</a>.</p>\n\
             <ul>\n<li>first\ngoes on</li>\n<li>second</li>\n</ul>\n"
        );
    }

    #[test]
    fn html_is_escaped_and_links_to_other_sites_are_dropped() {
        let page =
            html("<script>alert(1)</script> [x](https://elsewhere.example) [y](javascript:alert) **open");
        assert!(!page.contains("<script") && !page.contains("href"), "{page}");
        assert!(page.contains("**open"));
    }
}
