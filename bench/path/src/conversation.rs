//! A client that does as little as possible, because its work is counted too.

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// Size of the buffer, longer than any response.
const ROOM: usize = 256 * 1024;
const LENGTH_HEADER: &[u8] = b"content-length: ";

pub(crate) struct Conversation {
    stream: DuplexStream,
    buffer: Vec<u8>,
    ending: Option<Ending>,
}

/// Recognises the end of a response without parsing it: all have the same body, only numbers in the head change length.
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

    /// Sends a request, reads the whole response and returns its status.
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

    /// Forgets the known ending, because the next response may differ: after thirty requests they are rejected.
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

/// The length of head and body, once the head is complete.
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
