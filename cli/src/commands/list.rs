//! `bir list`: the members of a package and which variables their files belong to.

use crate::args::List;
use crate::console::Console;
use crate::fault::{InFile, Outcome};
use crate::files;
use crate::load;
use crate::package_pass::inventory;
use crate::package_view::graphs;
use crate::report::Report;
use crate::table::Table;
use bir_core::host::survey::Reach;
use serde_json::json;
use std::collections::BTreeMap;

/// Lists a package.
pub fn run(args: &List, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.neff);
    let mut opened = load::package(&args.neff, &args.limits, console)?;
    let (package, passed) = inventory(&mut opened, &file, !args.ignore_hash, Reach::Members, console.quiet)?;
    passed.verified().in_file(&file)?;
    let graphs = graphs(&package);

    let variables: Vec<_> = graphs
        .iter()
        .flat_map(|g| g.variables.iter().filter_map(move |v| Some((g, v, v.member.as_deref()?))))
        .map(|(g, v, member)| (g, v, member, package.item(member).is_some()))
        .collect();
    let mut users: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (g, v, member, _) in &variables {
        users.entry(member.trim_start_matches("./")).or_default().push(format!("{}:{}", g.name, v.name));
    }

    let mut table = Table::new(["MEMBER", "SIZE"]);
    package.items().iter().for_each(|m| table.row([m.name.as_str(), &m.size.to_string()]));
    let mut text = table.render(console, "");
    if !variables.is_empty() {
        let mut table = Table::new(["GRAPH", "FILE VARIABLE", "MEMBER"]);
        for (g, v, member, exists) in &variables {
            let member = if *exists { (*member).to_owned() } else { format!("{member} (missing)") };
            table.row([g.name.as_str(), v.name.as_str(), &member]);
        }
        text += "\n";
        text += &table.render(console, "");
    }

    let members = package.items().iter().map(|m| {
        json!({ "name": m.name, "size": m.size, "variables": users.get(m.name.as_str()).cloned().unwrap_or_default() })
    });
    let variables = variables.iter().map(|(g, v, member, exists)| {
        json!({
            "graph": g.name, "definition": g.definition, "variable": v.name, "member": member, "exists": exists,
            "size": v.size,
        })
    });
    let json = json!({
        "kind": "list",
        "file": file,
        "members": members.collect::<Vec<_>>(),
        "file_variables": variables.collect::<Vec<_>>(),
    });
    Ok(Report::new(text, json))
}
