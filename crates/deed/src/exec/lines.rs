use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

/// Notes where lines begin in what is read, as far as it is still of interest.
#[derive(Clone, Debug, Default)]
pub(super) struct LineStarts(Rc<RefCell<Starts>>);

#[derive(Debug)]
struct Starts {
    read: usize,
    /// Offsets at which lines begin, beginning with that of `first_line_1based`.
    starts: VecDeque<usize>,
    first_line_1based: usize,
}

impl Default for Starts {
    fn default() -> Self {
        Self {
            read: 0,
            starts: VecDeque::from([0]),
            first_line_1based: 1,
        }
    }
}

impl LineStarts {
    /// Wraps a reader so that its lines are noted.
    pub(super) fn watch<R: Read>(&self, inner: R) -> Watched<R> {
        Watched {
            inner,
            lines: self.clone(),
        }
    }

    /// Returns the number of the line that has an offset, and forgets the lines before it.
    pub(super) fn line_1based(&self, offset: usize) -> usize {
        let mut starts = self.0.borrow_mut();
        while starts.starts.get(1).is_some_and(|next| *next <= offset) {
            starts.starts.pop_front();
            starts.first_line_1based += 1;
        }
        starts.first_line_1based
    }

    fn note(&self, bytes: &[u8]) {
        let mut starts = self.0.borrow_mut();
        let read = starts.read;
        let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        starts.starts.extend(breaks.map(|(at, _)| read + at + 1));
        starts.read += bytes.len();
    }
}

pub(super) struct Watched<R> {
    inner: R,
    lines: LineStarts,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.lines.note(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}
