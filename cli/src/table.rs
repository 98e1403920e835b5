//! Aligned columns for people.

use crate::console::{Console, clean};

/// Rows under headings; a column of numbers is aligned to the right.
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Table {
        Table { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row of as many cells as there are headings.
    pub fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| clean(cell.as_ref())).collect());
    }

    /// The lines, each behind `indent`.
    pub fn render(&self, console: &Console, indent: &str) -> String {
        let columns: Vec<(usize, bool)> = (0..self.head.len())
            .map(|i| {
                let cells = || self.rows.iter().filter_map(|row| row.get(i));
                let width = cells().chain(self.head.get(i)).map(|c| c.chars().count()).max().unwrap_or(0);
                let numbers = cells().any(|c| c != "-")
                    && cells().all(|c| c == "-" || c.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit()));
                (width, numbers)
            })
            .collect();
        let mut text = String::new();
        text += &console.bold(&line(&self.head, &columns, indent));
        text.push('\n');
        for row in &self.rows {
            text += &line(row, &columns, indent);
            text.push('\n');
        }
        text
    }
}

fn line(cells: &[String], columns: &[(usize, bool)], indent: &str) -> String {
    let mut text = String::from(indent);
    for (i, (cell, (width, numbers))) in cells.iter().zip(columns).enumerate() {
        if i > 0 {
            text += "  ";
        }
        let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
        if *numbers { text.extend([padding.as_str(), cell]) } else { text.extend([cell.as_str(), &padding]) }
    }
    text.truncate(text.trim_end().len());
    text
}

/// `key  value` lines with the values below each other; `-` where there is none.
pub fn pairs(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    rows.iter().fold(String::new(), |text, (key, value)| {
        let value = clean(value);
        text + &format!("{key:width$}  {}\n", if value.is_empty() { "-" } else { &value })
    })
}
