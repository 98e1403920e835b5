//! Figures with their targets, as a table for people and as JSON.
use serde_json::{Value, json};

/// What a figure should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
    /// Between these.
    Within(f64, f64),
}

impl Target {
    fn is_met(self, value: f64) -> bool {
        match self {
            Target::AtLeast(limit) => value >= limit,
            Target::AtMost(limit) => value <= limit,
            Target::Within(low, high) => (low..=high).contains(&value),
        }
    }

    fn text(self) -> String {
        match self {
            Target::AtLeast(limit) => format!(">= {limit}"),
            Target::AtMost(limit) => format!("<= {limit}"),
            Target::Within(low, high) => format!("{low} to {high}"),
        }
    }
}

/// One line of the table: a ratio of two measurements.
#[derive(Clone, Debug)]
pub struct Figure {
    pub name: String,
    /// What is divided, and its unit.
    pub ours: f64,
    /// What it is divided by, in the same unit.
    pub other: f64,
    pub unit: &'static str,
    /// None: for information.
    pub target: Option<Target>,
}

impl Figure {
    fn ratio(&self) -> f64 {
        self.ours / self.other
    }

    fn is_met(&self) -> Option<bool> {
        self.target.map(|target| target.is_met(self.ratio()))
    }
}

/// All lines, and how many targets are met.
pub fn table(figures: &[Figure]) -> String {
    let mut text = format!("{:<46} {:>9} {:>9} {:<5} {:>7}  {:<12}\n", "", "ours", "other", "", "ratio", "target");
    for figure in figures {
        let met = figure.is_met().map_or("", |met| if met { "met" } else { "not met" });
        let target = figure.target.map(Target::text).unwrap_or_default();
        let (ours, other) = (figure.ours, figure.other);
        let digits = if figure.unit == "ns/B" { 3 } else { 0 };
        let line = format!(
            "{:<46} {ours:>9.digits$} {other:>9.digits$} {:<5} {:>7.2}  {target:<12} {met}",
            figure.name,
            figure.unit,
            figure.ratio()
        );
        text += line.trim_end();
        text.push('\n');
    }
    let judged: Vec<bool> = figures.iter().filter_map(Figure::is_met).collect();
    let met = judged.iter().filter(|met| **met).count();
    text + &format!("targets: {met} of {} met\n", judged.len())
}

/// The same as JSON.
pub fn to_json(figures: &[Figure]) -> Value {
    let one = |figure: &Figure| {
        json!({
            "name": figure.name,
            "ours": figure.ours,
            "other": figure.other,
            "unit": figure.unit,
            "ratio": figure.ratio(),
            "target": figure.target.map(Target::text),
            "met": figure.is_met(),
        })
    };
    figures.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(ours: f64, other: f64, target: Option<Target>) -> Figure {
        Figure { name: "load".to_owned(), ours, other, unit: "MB/s", target }
    }

    #[test]
    fn targets_judge_ratios() {
        let met = |ours, target| figure(ours, 10.0, Some(target)).is_met();
        assert_eq!(met(100.0, Target::AtLeast(10.0)), Some(true));
        assert_eq!(met(99.0, Target::AtLeast(10.0)), Some(false));
        assert_eq!(met(1.25, Target::AtMost(0.125)), Some(true));
        assert_eq!(met(1.26, Target::AtMost(0.125)), Some(false));
        assert_eq!(met(8.5, Target::Within(0.85, 1.15)), Some(true));
        assert_eq!(met(8.4, Target::Within(0.85, 1.15)), Some(false));
        assert_eq!(met(11.6, Target::Within(0.85, 1.15)), Some(false));
        assert_eq!(figure(1.0, 1.0, None).is_met(), None);
    }

    #[test]
    fn the_table_counts_what_is_met() {
        let figures = [
            figure(350.0, 35.0, Some(Target::AtLeast(10.0))),
            figure(100.0, 35.0, Some(Target::AtLeast(10.0))),
            figure(1.0, 2.0, None),
        ];
        let text = table(&figures);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[1].ends_with("10.00  >= 10        met"), "{text}");
        assert!(lines[2].ends_with("2.86  >= 10        not met"), "{text}");
        assert!(lines[3].ends_with("0.50"), "{text}");
        assert_eq!(lines[4], "targets: 1 of 2 met");
        let json = to_json(&figures);
        assert_eq!((&json[0]["met"], &json[1]["met"], &json[2]["met"]), (&json!(true), &json!(false), &Value::Null));
    }
}
