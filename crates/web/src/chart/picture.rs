//! A chart as a picture of its own: one SVG file of fixed size, for reports and other sites.

use askama::Template;

use super::Figure;
use crate::language::Language;

const WIDTH: usize = 720;
const MARGIN: usize = 16;
/// Characters that fit on a line of the title, and of the caption.
const TITLE_LENGTH: usize = 66;
const CAPTION_LENGTH: usize = 104;
const TITLE_HEIGHT: usize = 22;
const LINE_HEIGHT: usize = 17;

#[derive(Template)]
#[template(path = "picture.svg")]
struct PictureSvg<'a> {
    language: &'static str,
    width: usize,
    height: usize,
    margin: usize,
    titles: Vec<Text>,
    /// The second series, by name, in its colour.
    second: Vec<Text>,
    /// The label of made-up data.
    sample: Option<Text>,
    captions: Vec<Text>,
    /// Top of the chart, and the left edge and width of the plot in it.
    top: usize,
    left: usize,
    plot_width: usize,
    figure: &'a Figure<'a>,
}

/// A line of text, with the coordinate of its base.
struct Text {
    y: usize,
    text: String,
}

/// Lays texts out from the top to the bottom.
struct Cursor(usize);

impl Cursor {
    fn place(&mut self, height: usize, texts: Vec<String>) -> Vec<Text> {
        let place = |text| {
            self.0 += height;
            Text { y: self.0, text }
        };
        texts.into_iter().map(place).collect()
    }
}

/// The figure as a file. `is_sample` labels it as made up.
pub(crate) fn svg(figure: &Figure<'_>, is_sample: bool, language: Language) -> Result<String, askama::Error> {
    let (mut cursor, frame) = (Cursor(MARGIN), &language.texts().frame);
    let [first, second] = figure.names();
    let titles = cursor.place(TITLE_HEIGHT, wrapped(&first, TITLE_LENGTH));
    let second = cursor.place(LINE_HEIGHT, wrapped(&second, CAPTION_LENGTH));
    let sample =
        cursor.place(LINE_HEIGHT, is_sample.then(|| frame.sample.to_owned()).into_iter().collect()).pop();
    let top = cursor.0 + MARGIN;
    cursor.0 = top + figure.height as usize;
    let captions = cursor.place(LINE_HEIGHT, wrapped(&figure.caption, CAPTION_LENGTH));
    let left = MARGIN + figure.left_width;
    let right = if figure.right_lines.is_empty() { 0 } else { figure.right_width };
    let picture = PictureSvg {
        language: language.tag(),
        width: WIDTH,
        height: cursor.0 + MARGIN,
        margin: MARGIN,
        titles,
        second,
        sample,
        captions,
        top,
        left,
        plot_width: WIDTH - MARGIN - left - right,
        figure,
    };
    picture.render()
}

/// The text in lines of at most so many characters, if its words allow it.
fn wrapped(text: &str, length: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= length => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use lastro_model::Series;

    use super::*;
    use crate::words;

    #[test]
    fn texts_are_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
        assert!(wrapped("", 4).is_empty());
    }

    #[test]
    fn every_title_fits_on_two_lines() {
        for (series, language) in
            Series::ALL.into_iter().flat_map(|series| Language::ALL.map(|l| (series, l)))
        {
            let name = words::name(series.about(), language);
            assert!(wrapped(name, TITLE_LENGTH).len() <= 2, "{name}");
        }
    }
}
