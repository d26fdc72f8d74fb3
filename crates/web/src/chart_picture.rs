//! The chart of a subject as a picture with an address of its own, over the twelve months that every plan includes.

use std::borrow::Cow;

use crate::chart::{Range, picture};
use crate::chart_page;
use crate::chart_subject::Subject;
use crate::data::Data;
use crate::page::{Page, Reader, Rendered};

/// The chart of a subject as an SVG file, perhaps compared with another subject.
#[derive(Debug)]
pub struct ChartPicture {
    pub subject: Subject,
    pub compared: Option<Subject>,
}

impl Page for ChartPicture {
    fn path(&self) -> Cow<'static, str> {
        format!("{} chart.svg", chart_page::path(self.subject, self.compared)).into()
    }

    fn state(&self, data: &Data<'_>) -> u64 {
        chart_page::state(data, self.subject, self.compared, Vec::new())
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        let Self { subject, compared } = *self;
        let is_sample =
            [Some(subject), compared].into_iter().flatten().any(|one| one.is_sample(data.catalog));
        let figure = chart_page::figure(data.catalog, subject, compared, Range::OneYear, reader.language);
        picture::svg(&figure, is_sample, reader.language)
    }
}
