//! Names and comments in the two target languages.

const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "super", "trait", "true", "try",
    "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Runs of what no identifier may hold become one underscore.
pub fn sanitized(name: &str) -> String {
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let joined = words.iter().filter(|w| !w.is_empty()).copied().collect::<Vec<_>>().join("_");
    if joined.starts_with(|c: char| c.is_ascii_digit()) { format!("_{joined}") } else { joined }
}

/// A Rust identifier in the member's own spelling.
pub fn ident(name: &str) -> String {
    let name = sanitized(name);
    if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
}

/// `AluOpType` -> `ALU_OP_TYPE`, `DMAQoSClass` -> `DMA_QOS_CLASS`; names in capitals stay.
pub fn upper_snake(name: &str) -> String {
    let chars: Vec<char> = name.replace("QoS", "Qos").chars().collect();
    let mut out = String::new();
    for (i, c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|p| chars[p]);
        let after = chars.get(i + 1);
        let starts_word = c.is_ascii_uppercase()
            && before.is_some_and(|b| {
                b.is_ascii_lowercase()
                    || b.is_ascii_digit()
                    || b.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase)
            });
        if starts_word {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

/// `fp4-packed` -> `Fp4Packed`.
pub fn camel(word: &str) -> String {
    let words = word.split(|c: char| !c.is_ascii_alphanumeric());
    let capital = |w: &str| w.chars().next().map(|c| c.to_ascii_uppercase().to_string() + &w[1..]).unwrap_or_default();
    words.map(capital).collect()
}

/// Text that is no markup in a Rust doc comment.
pub fn doc_text(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '<' | '>' | '[' | ']' | '*' | '\\' | '`' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// One sentence: with a full stop at its end.
pub fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.into() } else { format!("{text}.") }
}
