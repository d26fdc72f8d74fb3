//! A client that does as little as it can: its work is counted too.

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// Longer than any answer to the questions.
const ROOM: usize = 256 * 1024;
const LENGTH_HEADER: &[u8] = b"content-length: ";

pub(crate) struct Conversation {
    stream: DuplexStream,
    buffer: Vec<u8>,
    ending: Option<Ending>,
}

/// How to know an answer's end without reading it: all have the same body, only a number in the head grows or shrinks.
struct Ending {
    at_least: usize,
    tail: Vec<u8>,
}

const TAIL: usize = 16;
const DIGITS_THAT_COME_AND_GO: usize = 16;

impl Conversation {
    pub(crate) fn new(stream: DuplexStream) -> Self {
        Self { stream, buffer: vec![0; ROOM], ending: None }
    }

    /// Sends a request and takes the whole answer in. Returns its status.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> anyhow::Result<u16> {
        self.stream.write_all(request).await?;
        let mut read = 0;
        loop {
            let more = self.stream.read(&mut self.buffer[read..]).await?;
            ensure!(more > 0, "the connection ended before the answer did");
            read += more;
            if self.is_whole(read)? {
                return status(&self.buffer);
            }
        }
    }

    /// What comes next is another answer: the thirty that are admitted are over.
    pub(crate) fn expect_another_answer(&mut self) {
        self.ending = None;
    }

    fn is_whole(&mut self, read: usize) -> anyhow::Result<bool> {
        let answer = &self.buffer[..read];
        if let Some(ending) = &self.ending {
            return Ok(read >= ending.at_least && answer.ends_with(&ending.tail));
        }
        let whole = expected_length(answer)?.is_some_and(|length| read >= length);
        if whole {
            let tail = answer[read.saturating_sub(TAIL)..].to_vec();
            self.ending = Some(Ending { at_least: read.saturating_sub(DIGITS_THAT_COME_AND_GO), tail });
        }
        Ok(whole)
    }
}

/// The length of head and body, once the head is there.
fn expected_length(answer: &[u8]) -> anyhow::Result<Option<usize>> {
    let Some(head) = position(answer, b"\r\n\r\n") else { return Ok(None) };
    let start = position(&answer[..head], LENGTH_HEADER).context("an answer without a length")?;
    let digits = answer[start + LENGTH_HEADER.len()..].iter().take_while(|byte| byte.is_ascii_digit());
    let body = digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'));
    Ok(Some(head + 4 + body))
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn status(answer: &[u8]) -> anyhow::Result<u16> {
    let digits = answer.get(9..12).context("an answer without a status")?;
    Ok(std::str::from_utf8(digits)?.parse()?)
}
