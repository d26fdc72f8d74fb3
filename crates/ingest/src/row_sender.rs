//! Sends rows to a publication, in batches.

use lastro_model::{Filing, ReadFile, Records, Withheld};
use lastro_store::{ListedFile, PublicationItem};
use tokio::sync::mpsc;

#[derive(Debug)]
pub(crate) struct RowSender {
    sender: mpsc::Sender<PublicationItem>,
    part: bool,
}

impl RowSender {
    pub(crate) fn new(sender: mpsc::Sender<PublicationItem>) -> Self {
        Self { sender, part: false }
    }

    /// Ignores a closed channel: the publication has failed then and reports that itself.
    fn send(&mut self, item: PublicationItem) {
        let _ = self.sender.blocking_send(item);
    }

    pub(crate) fn commit(&mut self) {
        self.send(if self.part { PublicationItem::CommitPart } else { PublicationItem::Commit });
    }

    /// Marks the publication as partial: not a success of the source.
    pub(crate) fn is_a_part(&mut self) {
        self.part = true;
    }

    pub(crate) fn rows(&mut self, records: Records) {
        if !records.is_empty() {
            self.send(PublicationItem::Rows(records));
        }
    }

    /// Sends filings that the file lists, and that are not served before their day.
    pub(crate) fn held_back(&mut self, filings: Vec<Filing>) {
        if !filings.is_empty() {
            self.send(PublicationItem::HeldBack(filings));
        }
    }

    /// Takes filings of days to come out of service.
    pub(crate) fn up_to_today(&mut self) {
        self.send(PublicationItem::UpToToday);
    }

    /// Sends all points of the source that are withheld now.
    pub(crate) fn withheld(&mut self, points: Vec<Withheld>) {
        self.send(PublicationItem::Withheld(points));
    }

    /// Ends the rows of a file that lists all rows of its kind, so that the others are withdrawn. A file with rows that
    /// cannot be parsed withdraws nothing: one of them may be the missing one.
    pub(crate) fn end_of_list(&mut self, listed: ListedFile, file: &ReadFile) {
        let listed = if file.rejects.is_empty() { listed } else { ListedFile::Unclear };
        self.send(PublicationItem::EndOfList(listed));
    }

    pub(crate) fn file(&mut self, file: ReadFile) {
        self.send(PublicationItem::File(file));
    }
}
