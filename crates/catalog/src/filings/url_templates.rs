//! Document links, kept as URL templates and the numbers that fill them.
//!
//! Nearly all of the regulator's links differ only in the filing's protocol number, one sequence number, and a few
//! short numbers such as its version. For such a link a row keeps its template and the sequence number: eight bytes
//! instead of 160 (decision 0010). A link that fits no template is kept whole, so every link is reproduced exactly.

use std::io::{self, Read, Write};
use std::sync::Arc;

use hashbrown::HashMap;

use super::interner::Interner;
use crate::json::{Digits, string};
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

/// A link as a row keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Link {
    template: u16,
    /// The sequence number or, for [`VERBATIM`], the number of a whole link.
    number: u32,
}

/// Marks a link without a template, kept whole.
const VERBATIM: u16 = u16::MAX;

/// Maximum number of templates. More mean that the links do not follow a pattern.
const MOST_TEMPLATES: usize = 1024;

/// Numbers with fewer digits are part of the template: each version has one of its own, which is quicker to fill in.
const SHORTEST_SEQUENCE: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Piece {
    /// Literal text.
    Text(Box<str>),
    Protocol,
    Sequence,
}

/// A clone shares the texts.
#[derive(Clone, Default)]
pub(super) struct Links {
    templates: Vec<Template>,
    numbers: Arc<HashMap<Vec<Piece>, u16>>,
    verbatim: Interner,
}

#[derive(Clone)]
struct Template {
    /// Each piece, with its text as escaped for a JSON string.
    pieces: Arc<[(Piece, Box<[u8]>)]>,
}

impl Links {
    /// `protocol` is the filing's number; one identified by a hash has none that could occur in a link.
    pub(super) fn encode(&mut self, url: &str, protocol: Option<u64>) -> Link {
        let (pieces, sequence) = split(url, protocol);
        match self.template(pieces) {
            Some(template) => Link { template, number: sequence },
            None => Link { template: VERBATIM, number: self.verbatim.intern(url) },
        }
    }

    /// Appends the link as a JSON string.
    pub(super) fn push_json(&self, link: Link, protocol: Option<Digits<'_>>, out: &mut Vec<u8>) {
        let Some(template) = self.templates.get(usize::from(link.template)) else {
            return out.extend_from_slice(self.verbatim.json(link.number));
        };
        out.push(b'"');
        let protocol = protocol.map_or("", |Digits(digits)| digits);
        let mut digits = itoa::Buffer::new();
        for (piece, text) in &*template.pieces {
            out.extend_from_slice(match piece {
                Piece::Text(_) => text,
                Piece::Protocol => protocol.as_bytes(),
                Piece::Sequence => digits.format(link.number).as_bytes(),
            });
        }
        out.push(b'"');
    }

    /// The number of templates and whole links.
    pub(super) fn len(&self) -> usize {
        self.templates.len() + self.verbatim.len()
    }

    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        let pieces: Vec<&Piece> = self.templates.iter().flat_map(Template::pieces).collect();
        snapshot.column(&self.templates, |template| template.pieces.len() as u32)?;
        snapshot.column(&pieces, |piece| piece.tag())?;
        let texts: Vec<&str> = pieces.iter().filter_map(|piece| piece.text()).collect();
        snapshot.texts(texts.into_iter())?;
        self.verbatim.save(snapshot)
    }

    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let lengths: Vec<u32> = snapshot.column(|length: u32| length)?;
        ensure(lengths.len() <= MOST_TEMPLATES)?;
        let tags: Vec<u8> = snapshot.column(|tag: u8| tag)?;
        let mut texts = snapshot.texts()?.into_iter();
        let pieces = tags.iter().map(|tag| Piece::of(*tag, &mut texts)).collect::<Option<Vec<Piece>>>();
        let mut pieces = pieces.ok_or(SnapshotError::Damaged)?.into_iter();
        let of_length = |length: &u32| Template::of(pieces.by_ref().take(*length as usize));
        let templates: Vec<Template> = lengths.iter().map(of_length).collect();
        ensure(lengths.iter().map(|length| *length as usize).sum::<usize>() == tags.len())?;
        let number = |(number, template): (u16, &Template)| (template.pieces().cloned().collect(), number);
        let numbers = Arc::new((0..).zip(&templates).map(number).collect());
        Ok(Self { templates, numbers, verbatim: Interner::restore(snapshot)? })
    }

    /// Whether the link refers to an existing template or whole link.
    pub(super) fn knows(&self, link: Link) -> bool {
        usize::from(link.template) < self.templates.len()
            || link.template == VERBATIM && (link.number as usize) < self.verbatim.len()
    }

    fn template(&mut self, pieces: Vec<Piece>) -> Option<u16> {
        if let Some(number) = self.numbers.get(&pieces) {
            return Some(*number);
        }
        if self.templates.len() == MOST_TEMPLATES {
            return None;
        }
        let number = self.templates.len() as u16;
        self.templates.push(Template::of(pieces.iter().cloned()));
        Arc::make_mut(&mut self.numbers).insert(pieces, number);
        Some(number)
    }
}

impl Template {
    fn of(pieces: impl Iterator<Item = Piece>) -> Self {
        let with_text = |piece: Piece| {
            let escaped = piece.escaped();
            (piece, escaped)
        };
        Self { pieces: pieces.map(with_text).collect() }
    }

    fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().map(|(piece, _)| piece)
    }
}

impl Link {
    pub(super) fn to_bits(self) -> u64 {
        u64::from(self.template) << 32 | u64::from(self.number)
    }

    pub(super) fn from_bits(bits: u64) -> Self {
        Self { template: (bits >> 32) as u16, number: bits as u32 }
    }
}

impl Piece {
    /// The tag of this piece in a snapshot.
    fn tag(&self) -> u8 {
        match self {
            Self::Text(_) => 0,
            Self::Protocol => 1,
            Self::Sequence => 2,
        }
    }

    fn of(tag: u8, texts: &mut impl Iterator<Item = String>) -> Option<Self> {
        Some(match tag {
            0 => Self::Text(texts.next()?.into()),
            1 => Self::Protocol,
            2 => Self::Sequence,
            _ => return None,
        })
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn escaped(&self) -> Box<[u8]> {
        match self {
            Self::Text(text) => {
                let quoted = string(text);
                quoted[1..quoted.len() - 1].into()
            }
            _ => Box::default(),
        }
    }
}

/// The link's template and the sequence number in it. A run of digits is a placeholder only if its number reproduces
/// it digit by digit; otherwise it is text.
fn split(url: &str, protocol: Option<u64>) -> (Vec<Piece>, u32) {
    let mut pieces = Vec::new();
    let mut sequence = None;
    let mut text_start = 0;
    for (start, run) in digit_runs(url) {
        let Some(number) = canonical(run) else { continue };
        let piece = if protocol == Some(number) {
            Piece::Protocol
        } else if run.len() >= SHORTEST_SEQUENCE && sequence.is_none() && number <= u64::from(u32::MAX) {
            sequence = Some(number as u32);
            Piece::Sequence
        } else {
            continue;
        };
        pieces.push(Piece::Text(url[text_start..start].into()));
        pieces.push(piece);
        text_start = start + run.len();
    }
    pieces.push(Piece::Text(url[text_start..].into()));
    (pieces, sequence.unwrap_or(0))
}

/// The maximal runs of digits, with their offsets.
fn digit_runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(|c: char| c.is_ascii_digit())?;
        let rest = &text[start..];
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        from = start + length;
        Some((start, &rest[..length]))
    })
}

/// The number, if formatting it yields the same digits.
fn canonical(digits: &str) -> Option<u64> {
    let padded = digits.len() > 1 && digits.starts_with('0');
    if padded { None } else { digits.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(links: &Links, link: Link, protocol: Option<u64>) -> String {
        let (mut json, digits) = (Vec::new(), protocol.map(|number| number.to_string()));
        links.push_json(link, digits.as_deref().map(Digits), &mut json);
        serde_json::from_slice(&json).unwrap()
    }

    #[test]
    fn links_of_the_regulator_share_a_template_by_version() {
        let mut links = Links::default();
        for version in 2..9u16 {
            for protocol in 1_476_522..1_476_600u64 {
                let url = format!(
                    "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1\
                     &numProtocolo={protocol}&numSequencia={}&numVersao={version}",
                    protocol - 475_294
                );
                let link = links.encode(&url, Some(protocol));
                assert_eq!(decoded(&links, link, Some(protocol)), url);
            }
        }
        assert_eq!(links.templates.len(), 7);
    }

    #[test]
    fn links_without_a_pattern_are_kept_whole() {
        let mut links = Links::default();
        let urls: Vec<String> =
            (0..3 * MOST_TEMPLATES).map(|n| format!("https://a.example/{n:x}?x=\"{n}\"é")).collect();
        let kept: Vec<Link> = urls.iter().map(|url| links.encode(url, None)).collect();
        assert_eq!(links.templates.len(), MOST_TEMPLATES);
        for (url, link) in urls.iter().zip(kept) {
            assert_eq!(decoded(&links, link, None), *url);
        }
    }

    proptest! {
        #[test]
        fn encoded_links_are_reproduced(
            urls in prop::collection::vec(("[a-z/?=&0-9\"\\\\é]{0,12}", 0u64..1500, "[a=0-9]{0,9}"), 1..20),
            hashed: bool,
        ) {
            let mut links = Links::default();
            let kept: Vec<_> = urls.iter().map(|(before, number, after)| {
                let protocol = (!hashed).then_some(*number);
                let url = format!("{before}{number}{after}");
                (links.encode(&url, protocol), protocol, url)
            }).collect();
            for (link, protocol, url) in kept {
                prop_assert_eq!(decoded(&links, link, protocol), url);
            }
        }

        #[test]
        fn any_text_is_reproduced(url: String, protocol: u64) {
            let mut links = Links::default();
            let link = links.encode(&url, Some(protocol));
            prop_assert_eq!(decoded(&links, link, Some(protocol)), url);
        }
    }
}
