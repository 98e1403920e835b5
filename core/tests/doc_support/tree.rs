//! JSON text as a tree that keeps the order of keys and the spelling of atoms, to turn one document into many.

#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// Anything but an array or object, as it was spelled.
    Atom(String),
    Array(Vec<Tree>),
    /// Keys with their quotes.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Reads well-formed text; panics on any other.
    pub fn parse(text: &str) -> Tree {
        let mut rest = text.trim_start();
        let tree = Self::take(&mut rest);
        assert_eq!(rest, "", "one value");
        tree
    }

    fn take(rest: &mut &str) -> Tree {
        let opened = rest.as_bytes()[0];
        if opened == b'[' || opened == b'{' {
            let close = if opened == b'[' { ']' } else { '}' };
            *rest = rest[1..].trim_start();
            let (mut elements, mut members) = (Vec::new(), Vec::new());
            while !rest.starts_with(close) {
                if opened == b'[' {
                    elements.push(Self::take(rest));
                } else {
                    let key = Self::atom(rest);
                    *rest = rest.strip_prefix(':').expect("a colon").trim_start();
                    members.push((key, Self::take(rest)));
                }
                *rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
            *rest = rest[1..].trim_start();
            return if opened == b'[' { Tree::Array(elements) } else { Tree::Object(members) };
        }
        Tree::Atom(Self::atom(rest))
    }

    fn atom(rest: &mut &str) -> String {
        let mut quoted = false;
        let mut escaped = false;
        let end = rest.char_indices().find(|&(at, c)| {
            let stop = !quoted && at > 0 && (",:]}".contains(c) || c.is_whitespace());
            quoted ^= c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            stop
        });
        let (atom, after) = rest.split_at(end.map_or(rest.len(), |e| e.0));
        *rest = after.trim_start();
        atom.into()
    }

    pub fn text(&self) -> String {
        let list = |parts: Vec<String>| parts.join(", ");
        match self {
            Tree::Atom(text) => text.clone(),
            Tree::Array(elements) => format!("[{}]", list(elements.iter().map(Tree::text).collect())),
            Tree::Object(members) => {
                format!("{{{}}}", list(members.iter().map(|(k, v)| format!("{k}: {}", v.text())).collect()))
            }
        }
    }

    /// Runs `change` on the members of every object, outer ones first.
    pub fn each_object(&mut self, change: &mut impl FnMut(&mut Vec<(String, Tree)>)) {
        match self {
            Tree::Atom(_) => {}
            Tree::Array(elements) => elements.iter_mut().for_each(|e| e.each_object(change)),
            Tree::Object(members) => {
                change(members);
                members.iter_mut().for_each(|m| m.1.each_object(change));
            }
        }
    }

    /// The same with the keys of all objects in the order of their bytes.
    pub fn sorted(mut self) -> Tree {
        self.each_object(&mut |members| members.sort_by(|a, b| a.0.cmp(&b.0)));
        self
    }
}
