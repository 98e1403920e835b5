//! What a benchmark prints: a head and a table, or all of it as one JSON object.
use super::arguments::Options;
use super::figures::{Figure, table, to_json};
use serde_json::{Map, Value};

/// Prints the figures. `facts` say what was measured; `head` says the same to people.
pub fn print(options: &Options, head: &str, facts: Value, figures: &[Figure]) {
    if options.json {
        println!("{:#}", object(options, facts, figures));
    } else {
        print!("{head}\n\n{}", table(figures));
    }
}

fn object(options: &Options, facts: Value, figures: &[Figure]) -> Value {
    let mut object = match facts {
        Value::Object(facts) => facts,
        _ => Map::new(),
    };
    object.insert("rounds".to_owned(), options.rounds.into());
    object.insert("clock".to_owned(), options.clock().into());
    object.insert("figures".to_owned(), to_json(figures));
    object.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn facts_and_figures_are_one_object() {
        let options = Options { quick: false, rounds: 3, cpu: true, json: true };
        let figure = Figure { name: "a".to_owned(), ours: 1.0, other: 2.0, unit: "MB", target: None };
        let object = object(&options, json!({"bytes": 7}), &[figure]);
        assert_eq!((&object["bytes"], &object["rounds"]), (&json!(7), &json!(3)));
        assert_eq!((&object["clock"], &object["figures"][0]["ratio"]), (&json!("processor time"), &json!(0.5)));
    }
}
