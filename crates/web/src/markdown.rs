//! Renders our own texts, which are written in Markdown.

use pulldown_cmark::html::push_html;
use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};

/// The text as HTML. HTML in it is shown as text, and links to other sites become plain text.
pub(crate) fn html(text: &str) -> String {
    let mut is_own_link = false;
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    let events = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Some(Event::Text(raw)),
        Event::Start(Tag::Link { ref dest_url, .. }) => {
            is_own_link = dest_url.starts_with(['/', '#']) && !dest_url.starts_with("//");
            is_own_link.then_some(event)
        }
        Event::End(TagEnd::Link) => is_own_link.then_some(event),
        // An image would be loaded from another site, or is none of ours.
        // Alignment would be an inline style, which the content policy forbids.
        Event::Start(Tag::Table(columns)) => {
            Some(Event::Start(Tag::Table(columns.iter().map(|_| Alignment::None).collect())))
        }
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        event => Some(event),
    });
    let mut out = String::with_capacity(text.len() * 5 / 4);
    push_html(&mut out, events);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html() {
        let text =
            "# A & B\n\nOne\ntwo `x < [y](/z)` **bold** [there](/series).\n\n- first\n  goes on\n- second\n";
        assert_eq!(
            html(text),
            "<h1>A &amp; B</h1>\n<p>One\ntwo <code>x &lt; [y](/z)</code> <strong>bold</strong> <a href=\"/series\">there</a>.</p>\n\
             <ul>\n<li>first\ngoes on</li>\n<li>second</li>\n</ul>\n"
        );
    }

    #[test]
    fn tables_have_no_inline_styles_and_headings_have_ids() {
        let page = html("## A {#b}\n\n| x |\n| --: |\n| 1 |\n");
        assert!(page.starts_with("<h2 id=\"b\">A</h2>\n<table>"), "{page}");
        assert!(page.contains("<td>1</td>") && !page.contains("style"), "{page}");
    }

    #[test]
    fn html_is_escaped_and_links_to_other_sites_are_dropped() {
        for text in [
            "<script>alert(1)</script>",
            "a <b onclick=alert(1)>b</b> <!-- c -->",
            "<div>\n\n<script>\n</div>",
            "[x](https://elsewhere.example) [y](javascript:alert) [z](//elsewhere.example)",
            "<https://elsewhere.example> ![x](https://elsewhere.example/x.png)",
        ] {
            let page = html(text);
            for bad in ["<script", "<b ", "<!--", "<div", "href", "<img"] {
                assert!(!page.contains(bad), "{page}");
            }
        }
    }
}
