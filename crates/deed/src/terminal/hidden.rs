//! Reads what nobody should see on the screen.

use std::fs::File;
use std::io::{self, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// No key is longer.
const MAX_BYTES: usize = 16 * 1024;

/// The terminal while it shows nothing of what is typed.
struct Hidden<'t> {
    tty: &'t File,
    before: Termios,
}

impl<'t> Hidden<'t> {
    fn begin(tty: &'t File) -> io::Result<Self> {
        let before = tcgetattr(tty)?;
        let mut hidden = before.clone();
        // Signals are off too: one that ended the program here would leave the terminal like this.
        hidden.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        tcsetattr(tty, OptionalActions::Flush, &hidden)?;
        Ok(Self { tty, before })
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing more.
        tcsetattr(self.tty, OptionalActions::Flush, &self.before).ok();
    }
}

/// Asks for a line at the terminal of the program; `None` if the person gave none.
///
/// Errors: there is no terminal, or it cannot be used.
pub(crate) fn ask_hidden(question: &str) -> io::Result<Option<String>> {
    let tty = File::options().read(true).write(true).open("/dev/tty")?;
    // Before the question: who answers fast is not seen either.
    let hidden = Hidden::begin(&tty)?;
    (&tty).write_all(question.as_bytes())?;
    let typed = read_line(&tty);
    drop(hidden);
    (&tty).write_all(b"\n")?;
    typed
}

/// Reads to the end of the line and edits as a terminal would.
fn read_line(mut tty: &File) -> io::Result<Option<String>> {
    const INTERRUPT: u8 = 3;
    const END: u8 = 4;
    const BACKSPACE: u8 = 8;
    const ERASE_LINE: u8 = 21;
    const DELETE: u8 = 127;
    let mut line = Vec::new();
    let mut byte = [0; 1];
    loop {
        if tty.read(&mut byte)? == 0 {
            return Ok(None);
        }
        let [byte] = byte;
        match byte {
            b'\n' | b'\r' => break,
            INTERRUPT => return Ok(None),
            END if line.is_empty() => return Ok(None),
            END => break,
            BACKSPACE | DELETE => {
                line.pop();
            }
            ERASE_LINE => line.clear(),
            _ if line.len() < MAX_BYTES => line.push(byte),
            _ => return Err(io::Error::other("the line is too long")),
        }
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| io::Error::other("what was typed is no UTF-8"))
}
