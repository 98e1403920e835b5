//! The functions of the header as a table in C, from which `c/bad.c` makes its calls with bad arguments.

use crate::header::{Param, Prototype};
use std::fmt::Write;

/// The types of which callers see no members: the `typedef struct bir_x bir_x;` of the header.
pub fn opaque_types(header: &str) -> Vec<String> {
    let names = header.lines().filter_map(|line| {
        let words: Vec<&str> = line.trim().strip_suffix(';')?.split(' ').collect();
        match words.as_slice() {
            ["typedef", "struct", a, b] if a == b => Some((*a).to_owned()),
            _ => None,
        }
    });
    names.collect()
}

/// The C source: `enum type`, one wrapper per function, and the array `functions`.
///
/// Fails for a parameter of an unknown form: a new form needs a rule here and in `c/bad.c`.
pub fn source(functions: &[Prototype], opaque: &[String]) -> Result<String, String> {
    let mut text = String::from("/* Made from bir.h. */\n");
    let mut table = String::from("static const function functions[] = {\n");
    let write = |to: &mut String, line: std::fmt::Arguments<'_>| {
        to.write_fmt(line).map_err(|e| format!("a text cannot be written: {e}"))
    };
    for (n, f) in functions.iter().enumerate() {
        let forms = forms(f, opaque)?;
        let arguments: Vec<String> = f.params.iter().enumerate().map(|(i, p)| argument(i, p)).collect();
        let call = format!("{}({})", f.name, arguments.join(", "));
        let (kind, statement) = match f.result.as_str() {
            "void" => ("R_VOID", format!("{call};")),
            "bir_status" => ("R_STATUS", format!("r->status = {call};")),
            ty if ty.ends_with('*') && ty != "const char *" => ("R_OBJECT", format!("r->object = {call};")),
            _ => ("R_VALUE", format!("(void){call};")),
        };
        write(
            &mut text,
            format_args!(
                "static void call_{n}(const arg *a, bir_error *e, result *r) {{ (void)a, (void)e, (void)r; {statement} }}\n"
            ),
        )?;
        write(&mut table, format_args!("    {{\"{}\", {kind}, call_{n}, {}, {{", f.name, forms.len()))?;
        for (form, param) in forms.iter().zip(&f.params) {
            write(&mut table, format_args!("{{{form}, \"{}\"}}, ", param.name))?;
        }
        table.push_str("{P_NONE, 0, 0, 0, \"\"}}},\n");
    }
    Ok(text + &table + "};\n")
}

/// How the argument of a parameter is passed on.
fn argument(i: usize, p: &Param) -> String {
    match p.ty.as_str() {
        "bir_error *" => "e".to_owned(),
        ty if ty.ends_with('*') => format!("({ty})a[{i}].p"),
        ty => format!("({ty})a[{i}].u"),
    }
}

/// The form of each parameter: kind, what of it, size, whether it is only read.
fn forms(f: &Prototype, opaque: &[String]) -> Result<Vec<String>, String> {
    let mut forms = Vec::new();
    let param = |i: usize| f.params.get(i);
    let is_size = |i: usize| param(i).is_some_and(|p| p.ty == "size_t");
    let mut i = 0;
    while let Some(p) = param(i) {
        let unknown = || format!("{}: no rule for `{} {}`", f.name, p.ty, p.name);
        let constant = p.ty.strip_prefix("const ");
        let plain = constant.unwrap_or(&p.ty);
        let target = plain.strip_suffix('*').map(str::trim_end);
        let is_const = u8::from(constant.is_some());
        match (target, constant) {
            _ if p.ty == "bir_error *" => forms.push("P_ERR, 0, 0, 0".to_owned()),
            (Some("char"), Some(_)) if is_size(i + 1) => {
                forms.push("P_TEXT, 0, 1, 1".to_owned());
                forms.push("P_TEXT_LEN, 0, sizeof(size_t), 0".to_owned());
                i += 1;
            }
            (Some("void"), Some(_)) => forms.push("P_ADDRESS, 0, 0, 1".to_owned()),
            (Some(target), _) if opaque.iter().any(|o| o == target) => {
                forms.push(format!("P_OBJECT, T_{target}, 0, {is_const}"));
            }
            // `const bir_expr *const *exprs, size_t count` and `const bir_dim *dims, size_t count`.
            (Some(target), Some(_)) if is_size(i + 1) => {
                let (element, size) = match target.strip_suffix("*const").map(str::trim_end) {
                    Some(object) => (format!("{object}_ptr"), "sizeof(void *)".to_owned()),
                    None => (target.to_owned(), format!("sizeof({target})")),
                };
                forms.push(format!("P_ARRAY, E_{element}, {size}, 1"));
                forms.push("P_ARRAY_LEN, 0, sizeof(size_t), 0".to_owned());
                i += 1;
            }
            (Some(target), Some(_)) => forms.push(format!("P_STRUCT, E_{target}, sizeof({target}), 1")),
            // `T *out, size_t capacity, size_t *count`.
            (Some(target), None) if param(i + 1).is_some_and(|p| p.name == "capacity") && is_size(i + 1) => {
                forms.push(format!("P_OUT_ARRAY, 0, sizeof({target}), 0"));
                forms.push("P_CAPACITY, 0, sizeof(size_t), 0".to_owned());
                i += 1;
            }
            (Some("bir_string"), None) => forms.push("P_OUT, O_TEXT, sizeof(bir_string), 0".to_owned()),
            (Some(target), None) => forms.push(format!("P_OUT, 0, sizeof({target}), 0")),
            (None, None) if plain.ends_with("_t") || plain == "double" => {
                forms.push(format!("P_INT, 0, sizeof({plain}), 0"))
            }
            (None, None) if plain == "bir_status" => forms.push("P_INT, 0, sizeof(int32_t), 0".to_owned()),
            _ => return Err(unknown()),
        }
        i += 1;
    }
    Ok(forms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::prototypes;

    #[test]
    fn parameters_get_their_forms() {
        let header = "typedef struct bir_a bir_a;\ntypedef struct bir_b { int x; } bir_b;\n\
            bir_status bir_f(bir_a *a, const bir_a *before, const char *name, size_t name_len, const bir_b *bs, size_t n,\n\
            const bir_a *const *as, size_t m, bir_b *out, size_t capacity, size_t *count, int32_t k, bir_error *err);";
        let opaque = opaque_types(header);
        assert_eq!(opaque, ["bir_a"]);
        let f = &prototypes(header).unwrap()[0];
        let forms = forms(f, &opaque).unwrap();
        let kinds: Vec<&str> = forms.iter().map(|form| form.split(", 0").next().unwrap()).collect();
        let expected = [
            "P_OBJECT, T_bir_a",
            "P_OBJECT, T_bir_a",
            "P_TEXT",
            "P_TEXT_LEN",
            "P_ARRAY, E_bir_b, sizeof(bir_b), 1",
            "P_ARRAY_LEN",
            "P_ARRAY, E_bir_a_ptr, sizeof(void *), 1",
            "P_ARRAY_LEN",
            "P_OUT_ARRAY",
            "P_CAPACITY",
            "P_OUT",
            "P_INT",
            "P_ERR",
        ];
        assert_eq!(kinds, expected);
        assert!(source(&prototypes("void bir_g(struct x y);").unwrap(), &opaque).is_err());
    }
}
