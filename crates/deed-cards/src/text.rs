//! Cards as lines for a terminal.

mod blocks;
mod line;
mod page;
mod speech;
mod style;
mod table;
mod title;

use deed_protocol::{Block, ToolCard};

use page::Page;
pub use speech::{draw_speech, one_line};
pub(crate) use title::status;

/// How a card is drawn as text; nothing is taken from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardText {
    /// Display columns that no line exceeds.
    pub width: usize,
    /// Whether to colour, with escape codes of the sixteen-colour set; without it there are none.
    pub colour: bool,
    /// Whether signs outside ASCII may be used; without it all that comes out is ASCII.
    pub unicode: bool,
    /// Whether to show everything: no block is shortened, and long lines go on in the next line
    /// instead of being cut.
    pub expanded: bool,
    /// Lines of each block (rows of a table, pairs) above which it is shortened.
    pub max_body_lines: usize,
}

impl Default for CardText {
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            unicode: true,
            expanded: false,
            max_body_lines: 16,
        }
    }
}

/// Draws a card as text.
///
/// Shape: lines that end in LF: the title, then the blocks beside a thin rule. All text of the
/// card is taken as untrusted: what would move the cursor, hide or reorder text is made visible.
///
/// Units: widths are display columns.
pub fn draw_text(card: &ToolCard, options: &CardText) -> String {
    let mut page = Page::new(options);
    title::draw(card, &mut page);
    let mut after_tall = false;
    for block in &card.blocks {
        let tall = is_tall(block);
        page.space_before_next(after_tall && tall);
        if blocks::draw(block, card, &mut page) {
            after_tall = tall;
        }
    }
    page.render()
}

/// Whether a block is set off from its neighbour by an empty line if that is tall too.
fn is_tall(block: &Block) -> bool {
    match block {
        Block::Text { .. }
        | Block::Code { .. }
        | Block::Diff { .. }
        | Block::Table { .. }
        | Block::KeyValues { .. } => true,
        Block::Image { .. } | Block::Progress(_) | Block::Notice { .. } => false,
    }
}
