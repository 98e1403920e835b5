//! What the reader remembers of a document's layout changes nothing but its speed: a reader that remembers nothing gives the same
//! module, the same warnings and the same errors, whatever was done to the document.
use bir_core::doc::input::{Input, Limits, Number, ValueKind};
use bir_core::doc::{JsonInput, Loaded, ReadOptions, WriteOptions, read, write_json};
use bir_core::{Position, Result};
use serde_json::Value;
use std::borrow::Cow;
use std::fs;

mod samples;

/// A JSON input without any of the shortcuts.
struct Bare<'a>(JsonInput<'a>);

impl<'a> Input<'a> for Bare<'a> {
    type Mark = <JsonInput<'a> as Input<'a>>::Mark;
    type Leaf<'l>
        = Bare<'l>
    where
        Self: 'l;
    type End = <JsonInput<'a> as Input<'a>>::End;

    fn peek(&mut self) -> Result<ValueKind> {
        self.0.peek()
    }
    fn null(&mut self) -> Result<()> {
        self.0.null()
    }
    fn bool(&mut self) -> Result<bool> {
        self.0.bool()
    }
    fn number(&mut self) -> Result<Number> {
        self.0.number()
    }
    fn string(&mut self) -> Result<Cow<'a, str>> {
        self.0.string()
    }
    fn begin_object(&mut self) -> Result<()> {
        self.0.begin_object()
    }
    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>> {
        self.0.next_key()
    }
    fn begin_array(&mut self) -> Result<()> {
        self.0.begin_array()
    }
    fn next_element(&mut self) -> Result<bool> {
        self.0.next_element()
    }
    fn skip(&mut self) -> Result<()> {
        self.0.skip()
    }
    fn pass(&mut self) -> Result<()> {
        self.0.pass()
    }
    fn mark(&self) -> Self::Mark {
        self.0.mark()
    }
    fn reset(&mut self, mark: Self::Mark) {
        self.0.reset(mark);
    }
    fn leaf(&mut self) -> Result<Bare<'_>> {
        self.0.leaf().map(Bare)
    }
    fn end_of(leaf: &Bare<'_>) -> Self::End {
        <JsonInput<'a> as Input<'a>>::end_of(&leaf.0)
    }
    fn rejoin(&mut self, end: Self::End) {
        self.0.rejoin(end);
    }
    fn value(&mut self) -> Result<serde_json::Value> {
        self.0.value()
    }
    fn offset(&self) -> u64 {
        self.0.offset()
    }
    fn total(&self) -> Option<u64> {
        self.0.total()
    }
    fn position_of(&self, offset: u64) -> Position {
        self.0.position_of(offset)
    }
    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}

/// Everything that a reading gives.
fn told(loaded: Result<Loaded>) -> String {
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => return format!("{:?} {error:?}", error.code),
    };
    let mut text = Vec::new();
    write_json(&loaded.module, &mut text, &WriteOptions::default()).unwrap();
    let warnings: Vec<String> = loaded.warnings.iter().map(|w| format!("{:?} {w}", w.kind)).collect();
    format!("{}{warnings:#?}", String::from_utf8(text).unwrap())
}

fn compare(text: &[u8], options: &ReadOptions, what: &str) -> bool {
    let quick = read(JsonInput::new(text, options.limits), options);
    let read_well = quick.is_ok();
    let (quick, bare) = (told(quick), told(read(Bare(JsonInput::new(text, options.limits)), options)));
    assert_eq!(quick, bare, "{what}: {}", String::from_utf8_lossy(text));
    read_well
}

fn documents() -> Vec<Vec<u8>> {
    let folders = ["bir", "families"].map(|f| format!("{}/../tests/data/{f}", env!("CARGO_MANIFEST_DIR")));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()));
    let mut files: Vec<_> = files.filter(|p| p.to_string_lossy().ends_with(".bir.json")).collect();
    files.sort();
    files
        .into_iter()
        .map(|p| fs::read(p).unwrap())
        .chain(samples::examples().into_iter().map(String::into_bytes))
        .collect()
}

/// A document whose instructions come several times in a row, under names of their own or not: with what is remembered of one
/// the next is read.
fn repeated(text: &[u8], lines: bool) -> Vec<u8> {
    fn repeat(value: &mut Value, times: &mut usize) {
        match value {
            Value::Array(elements) => elements.iter_mut().for_each(|element| repeat(element, times)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| repeat(member, times));
                let Some(Value::Array(list)) = members.get_mut("instructions") else { return };
                let mut copies = Vec::new();
                for (instruction, copy) in
                    list.iter().flat_map(|instruction| (0..3).map(move |copy| (instruction, copy)))
                {
                    *times += 1;
                    let mut instruction = instruction.clone();
                    if let Some(Value::String(name)) =
                        instruction.get_mut("name").filter(|_| copy > 0 && !times.is_multiple_of(7))
                    {
                        name.push_str(&format!("-{copy}"));
                    }
                    copies.push(instruction);
                }
                *list = copies;
            }
            _ => {}
        }
    }
    let mut value: Value = serde_json::from_slice(text).unwrap();
    repeat(&mut value, &mut 0);
    if lines { serde_json::to_vec_pretty(&value).unwrap() } else { serde_json::to_vec(&value).unwrap() }
}

/// A generator of numbers: the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// Does one thing to a text.
fn damage(text: &mut Vec<u8>, numbers: &mut Numbers) {
    if text.is_empty() {
        return;
    }
    let at = numbers.below(text.len());
    let lines: Vec<usize> =
        [0].into_iter().chain(text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1)).collect();
    let line = |n: usize| lines[n]..lines.get(n + 1).copied().unwrap_or(text.len());
    let (first, second) = (numbers.below(lines.len()), numbers.below(lines.len()));
    match numbers.below(9) {
        0 => drop(text.remove(at)),
        1 => text.insert(at, b" \t\n\r"[numbers.below(4)]),
        2 => text[at] = b"0123456789-.eE+\"\\[]{},:ntf \x01"[numbers.below(28)],
        3 => drop(text.drain(line(first))),
        4 | 5 => {
            // A key twice, a value among others, another order.
            let copy = text[line(first)].to_vec();
            let place = lines[if numbers.below(2) == 0 { first } else { second }];
            text.splice(place..place, copy);
        }
        6 => {
            // A number of another form.
            let digits = (at..text.len()).find(|i| text[*i].is_ascii_digit());
            let form = [&b"-"[..], b"0", b"-0", b"1e", b"1234567890123456789", b"null", b"true"][numbers.below(7)];
            if let Some(digit) = digits {
                text.splice(digit..digit + numbers.below(2), form.iter().copied());
            }
        }
        7 => {
            // A character of a string in another spelling.
            let letter = (at..text.len()).find(|i| text[*i].is_ascii_lowercase());
            if let Some(letter) = letter {
                let escape = format!("\\u{:04x}", text[letter]);
                text.splice(letter..=letter, escape.bytes());
            }
        }
        _ => {
            // All of a line's white space but one.
            let rest = line(first);
            let spaces = text[rest.clone()].iter().take_while(|b| **b == b' ').count();
            text.drain(rest.start..rest.start + spaces.saturating_sub(1));
        }
    }
}

#[test]
fn a_layout_changes_nothing_but_the_time() {
    let options = ReadOptions::default();
    let mut numbers = Numbers(1);
    let (mut well, mut all) = (0, 0);
    let documents = documents();
    let more: Vec<_> = documents.iter().enumerate().map(|(index, text)| repeated(text, index % 3 > 0)).collect();
    for (index, text) in documents.into_iter().chain(more).enumerate() {
        assert!(compare(&text, &options, &format!("document {index}")));
        // What was damaged too much is not read far.
        let rounds = match text.len() {
            ..20_000 => 150,
            20_000..60_000 => 40,
            _ => 10,
        };
        for round in 0..rounds {
            let mut text = text.clone();
            for _ in 0..=round % 3 {
                damage(&mut text, &mut numbers);
            }
            well += usize::from(compare(&text, &options, &format!("document {index}, round {round}")));
            all += 1;
        }
    }
    assert!(well > all / 10 && well < all * 9 / 10, "{well} of {all} were read well");
}

#[test]
fn limits_hold_whatever_the_layout() {
    for text in documents().into_iter().flat_map(|text| [repeated(&text, true), text]) {
        for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16] {
            let limits = [
                Limits { max_depth: n, ..Limits::default() },
                Limits { max_elements: n.into(), ..Limits::default() },
                Limits { max_string_bytes: n.into(), ..Limits::default() },
            ];
            for limits in limits {
                compare(&text, &ReadOptions { limits, ..ReadOptions::default() }, &format!("{limits:?}"));
            }
        }
    }
}
