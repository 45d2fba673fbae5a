//! The files that benchmarks read: made once, the same each time, kept below the target folder.

use anyhow::{Context as _, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Changes when the contents change, so that old fixtures are made again.
const VERSION: &str = "1";

pub(crate) const LONG_LINES: usize = 10_000_000;
pub(crate) const SMALL_FILES: usize = 1_000;
pub(crate) const TREE_FILES: usize = 20_000;
/// In 50 files of the tree that are not ignored.
pub(crate) const NEEDLE: &str = "needle_in_the_tree";
pub(crate) const NEEDLES: usize = 50;
/// In every file of the tree.
pub(crate) const COMMON: &str = "common_word";
/// Once in the middle of the 5 MB file; no other byte of it is a tilde.
pub(crate) const WORD: &str = "~before~";
pub(crate) const NEW_WORD: &str = "~behind~";

/// Where the fixtures lie.
#[derive(Debug)]
pub(crate) struct Fixtures {
    /// 500 MB: line n, counted from one, begins with n in eight digits.
    pub(crate) long: PathBuf,
    /// 5 MB with [`WORD`].
    pub(crate) medium: PathBuf,
    /// 10 KB each.
    pub(crate) small: Vec<PathBuf>,
    /// 20,000 files of 4 KB in 200 folders, one in a hundred ignored.
    pub(crate) tree: PathBuf,
    /// For files that a benchmark writes.
    pub(crate) work: PathBuf,
    /// State and settings of the subject.
    pub(crate) home: PathBuf,
}

impl Fixtures {
    /// Makes what is not there yet below `root`.
    pub(crate) fn prepared(root: &Path) -> Result<Self> {
        let at = |name: &str| root.join(name);
        let fixtures = Self {
            long: at("lines-500mb.txt"),
            medium: at("text-5mb.txt"),
            small: (0..SMALL_FILES)
                .map(|index| root.join("small").join(format!("{index:04}.txt")))
                .collect(),
            tree: at("tree"),
            work: at("work"),
            home: at("home"),
        };
        let mark = at("complete");
        fs::create_dir_all(&fixtures.work)?;
        fs::create_dir_all(&fixtures.home)?;
        if fs::read_to_string(&mark).is_ok_and(|version| version == VERSION) {
            return Ok(fixtures);
        }
        eprintln!("making the fixtures below {}; once", root.display());
        fixtures
            .make()
            .with_context(|| format!("cannot make the fixtures below {}", root.display()))?;
        fs::write(mark, VERSION)?;
        Ok(fixtures)
    }

    fn make(&self) -> Result<()> {
        let mut words = Words::seeded();
        write_lines(&self.long, LONG_LINES, &mut words)?;
        let mut text = words.text(5_000_000);
        text.replace_range(2_500_000..2_500_000 + WORD.len(), WORD);
        fs::write(&self.medium, text)?;
        for path in &self.small {
            fs::create_dir_all(path.parent().context("no folder")?)?;
            fs::write(path, words.text(10_000))?;
        }
        self.make_tree(&mut words)
    }

    fn make_tree(&self, words: &mut Words) -> Result<()> {
        fs::create_dir_all(self.tree.join(".git"))?;
        fs::write(self.tree.join(".gitignore"), "*.log\n")?;
        for index in 0..TREE_FILES {
            let (outer, inner, file) = (index / 1000, index / 100 % 10, index % 100);
            let folder = self
                .tree
                .join(format!("outer{outer:02}"))
                .join(format!("inner{inner}"));
            if file == 0 {
                fs::create_dir_all(&folder)?;
            }
            let extension = if file == 99 { "log" } else { "rs" };
            let mut text = format!("{COMMON}\n{}", words.text(4_000));
            if index % (TREE_FILES / NEEDLES) == 50 || file == 99 {
                text.push_str(&format!("{NEEDLE} {index}\n"));
            }
            fs::write(folder.join(format!("file{file:02}.{extension}")), text)?;
        }
        Ok(())
    }
}

fn write_lines(path: &Path, count: usize, words: &mut Words) -> Result<()> {
    const WIDTH: usize = 40;
    let text = words.text(1 << 20).replace('\n', " ");
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for line in 1..=count {
        let start = line * 7919 % (text.len() - WIDTH);
        let cut = text
            .get(start..start + WIDTH)
            .context("the text is ASCII")?;
        writeln!(file, "{line:08} {cut}")?;
    }
    file.flush()?;
    Ok(())
}

/// Lower-case words in a fixed pseudo-random order.
struct Words(u64);

impl Words {
    fn seeded() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// Exactly `length` bytes of ASCII words in lines of about seventy bytes, the last byte a line end.
    fn text(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 16);
        let mut column = 0;
        while text.len() < length {
            let width = 2 + self.next() % 9;
            for _ in 0..width {
                text.push(char::from(
                    b'a' + u8::try_from(self.next() % 26).unwrap_or(0),
                ));
            }
            column += width + 1;
            text.push(if column > 70 { '\n' } else { ' ' });
            if column > 70 {
                column = 0;
            }
        }
        text.truncate(length.saturating_sub(1));
        text.push('\n');
        text
    }

    /// The xorshift generator: quick, and the same on every machine.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 20
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_each_time_and_as_long_as_asked() {
        let text = Words::seeded().text(10_000);
        assert_eq!(text.len(), 10_000);
        assert_eq!(text, Words::seeded().text(10_000));
        assert!(text.ends_with('\n') && text.lines().all(|line| line.len() < 90));
    }

    #[test]
    fn lines_begin_with_their_number_and_have_fifty_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        write_lines(&path, 1_000, &mut Words::seeded()).unwrap();
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text.len(), 50_000);
        for (index, line) in text.lines().enumerate() {
            assert!(line.starts_with(&format!("{:08} ", index + 1)), "{line}");
        }
    }
}
