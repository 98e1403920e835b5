//! `bir inline-weights`: the weights of a model directory become constants of a document.

use super::convert::write_document;
use crate::args::{Form, InlineWeights};
use crate::console::Console;
use crate::fault::{Failure, Fault, InFile, Outcome};
use crate::files;
use crate::load;
use crate::progress::Progress;
use crate::report::Report;
use crate::table::{Table, pairs};
use bir_core::consts::weights::{Constant, METADATA_FILE, Plan, Problem};
use bir_core::host::model_dir::ModelDir;
use bir_core::inline_weights::inline_weights;
use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};

/// Makes constants of the parameters that have weights.
pub fn run(args: &InlineWeights, console: &Console) -> Outcome<Report> {
    let to_standard = files::is_standard(&args.output);
    if console.json && to_standard {
        return Err(Fault::Usage(String::from("--json and -o - both want standard output")));
    }
    let file = files::name(&args.module);
    let loaded = load::document(&args.module, args.strict, console)?;
    let folder = args.model_dir.to_string_lossy();
    let mut dir = ModelDir::new(&args.model_dir);
    let plan = {
        let _progress = Progress::spinner(console.quiet, format!("Checking the weights of {folder}"));
        let metadata = dir.metadata().in_file(&args.model_dir.join(METADATA_FILE).to_string_lossy())?;
        inline_weights(&loaded.module, &metadata, &mut dir).in_file(&file)?
    };
    // What is about a file names it below the directory.
    let of_program = |problem: &&Problem| problem.file.is_none();
    for (name, about_program) in [(file.as_str(), true), (&folder, false)] {
        let warnings = plan.warnings.iter().filter(|w| of_program(w) == about_program);
        console.warnings(name, warnings.map(Problem::to_string).collect::<Vec<_>>().into_iter(), 0);
    }
    console.errors(plan.problems.iter().map(|p| format!("{}: {p}", if of_program(&p) { &file } else { &*folder })));
    let refused = refusal(&plan, args.strict);
    let mut json = json!({
        "kind": "inline-weights",
        "input": file,
        "model_dir": folder,
        "output": Value::Null,
        "bytes": 0,
        "constants": plan.constants.iter().map(constant_json).collect::<Vec<_>>(),
        "remaining": plan.remaining.iter()
            .map(|r| json!({ "name": r.name, "number": r.new, "old_number": r.old }))
            .collect::<Vec<_>>(),
        "problems": plan.problems.iter().map(problem_json).collect::<Vec<_>>(),
        "warnings": plan.warnings.iter().map(problem_json).collect::<Vec<_>>(),
    });
    if let Some(error) = refused {
        let failure = Some(Failure { error, file: Some(folder.into_owned()) });
        return Ok(Report { failure, ..Report::new(String::new(), json) });
    }
    let written = write_document(&loaded.module, &args.output, Form::of_name(&args.output), false, &file, console)?;
    json["output"] = Value::from(args.output.to_string_lossy());
    json["bytes"] = Value::from(written);
    // The document itself may be on standard output.
    let text = if to_standard { String::new() } else { text(&plan, console) };
    Ok(Report::new(text, json))
}

/// Why nothing is written, if it is not.
fn refusal(plan: &Plan, strict: bool) -> Option<Error> {
    let what = match (plan.problems.len(), plan.warnings.len()) {
        (0, 0) => return None,
        (0, _) if !strict => return None,
        (0, 1) => String::from("there is a warning"),
        (0, count) => format!("there are {count} warnings"),
        (1, _) => String::from("there is a problem"),
        (count, _) => format!("there are {count} problems"),
    };
    Some(Error::new(ErrorCode::Conflict, format_args!("{what}; nothing was written")))
}

fn text(plan: &Plan, console: &Console) -> String {
    let mut text = String::new();
    if !plan.constants.is_empty() {
        let mut table = Table::new(["PARAMETER", "NAME", "DTYPE", "SHAPE", "BYTES", "FILE"]);
        for c in &plan.constants {
            let (number, bytes) = (c.number.to_string(), c.npy.data_bytes.to_string());
            table.row([&number, &c.name, &c.dtype, &format!("{:?}", c.npy.shape), &bytes, &c.file]);
        }
        text += &table.render(console, "");
        text.push('\n');
    }
    if !plan.remaining.is_empty() {
        let mut table = Table::new(["PARAMETER", "NOW", "NAME"]);
        for r in &plan.remaining {
            table.row([&r.old.to_string(), &r.new.to_string(), &r.name]);
        }
        text += &table.render(console, "");
        text.push('\n');
    }
    let bytes = plan.constants.iter().fold(0_u64, |sum, c| sum.saturating_add(c.npy.data_bytes));
    text + &pairs(&[
        ("constants", format!("{}, {bytes} bytes", plan.constants.len())),
        ("parameters", plan.remaining.len().to_string()),
    ])
}

fn constant_json(constant: &Constant) -> Value {
    let Constant { number, name, dtype, tensor_class, file, npy } = constant;
    json!({
        "number": number,
        "name": name,
        "dtype": dtype,
        "tensor_class": tensor_class,
        "file": file,
        "descr": npy.descr.to_string(),
        "shape": npy.shape,
        "data_offset": npy.data_offset,
        "bytes": npy.data_bytes,
    })
}

fn problem_json(problem: &Problem) -> Value {
    let Problem { kind, number, parameter, file, error } = problem;
    let mut json = Failure { error: error.clone(), file: file.clone() }.json();
    json["id"] = Value::from(kind.id());
    json["number"] = Value::from(*number);
    json["parameter"] = Value::from(parameter.as_str());
    json
}
