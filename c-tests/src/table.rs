//! The functions of the header as a table in C, from which `c/bad.c` makes its calls with bad arguments.

use crate::header::{Param, Prototype, callbacks};
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

/// What a header declares beside its functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    /// The types of which callers see no members.
    pub opaque: Vec<String>,
    /// Those of them that callers own and free: there is a function `<type>_destroy`.
    pub owned: Vec<String>,
    /// The types of functions that callers write.
    pub callbacks: Vec<String>,
}

impl Types {
    /// The types of a header with these functions.
    pub fn new(header: &str, functions: &[Prototype]) -> Result<Types, String> {
        let opaque = opaque_types(header);
        let is_owned = |ty: &&String| functions.iter().any(|f| f.name.strip_suffix("_destroy") == Some(ty.as_str()));
        let owned = opaque.iter().filter(is_owned).cloned().collect();
        let callbacks = callbacks(header)?.into_iter().map(|callback| callback.name).collect();
        Ok(Types { opaque, owned, callbacks })
    }

    /// The type that a pointer is to, if callers own what they get through it.
    fn owned<'a>(&self, pointer: &'a str) -> Option<&'a str> {
        let target = pointer.strip_suffix('*')?.trim_end();
        self.owned.iter().any(|o| o == target).then_some(target)
    }

    /// The type of what a function makes for its caller. A module is only made by functions of modules and of kernels;
    /// others return the one that an object lies in.
    fn made<'a>(&self, f: &'a Prototype) -> Option<&'a str> {
        self.owned(&f.result)
            .filter(|ty| *ty != "bir_module" || f.name.starts_with("bir_module_") || f.name.starts_with("bir_klr_"))
    }
}

/// The C source: one wrapper per function, the array `functions`, and `destroy` by type.
///
/// Fails for a parameter of an unknown form: a new form needs a rule here and in `c/bad.c`.
pub fn source(functions: &[Prototype], types: &Types) -> Result<String, String> {
    let mut text = String::from("/* Made from bir.h. */\n");
    let mut table = String::from("static const function functions[] = {\n");
    let mut destroy = String::from("static void (*const destroy[TYPES])(void *) = {\n");
    let write = |to: &mut String, line: std::fmt::Arguments<'_>| {
        to.write_fmt(line).map_err(|e| format!("a text cannot be written: {e}"))
    };
    for (n, f) in functions.iter().enumerate() {
        let forms = forms(f, types)?;
        let arguments: Vec<String> = f.params.iter().enumerate().map(|(i, p)| argument(i, p, types)).collect();
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
        write(
            &mut table,
            format_args!(
                "    {{\"{}\", {kind}, call_{n}, T_{}, {}, {{",
                f.name,
                types.made(f).unwrap_or("NONE"),
                forms.len()
            ),
        )?;
        for (form, param) in forms.iter().zip(&f.params) {
            write(&mut table, format_args!("{{{form}, \"{}\"}}, ", param.name))?;
        }
        table.push_str("{P_NONE, 0, 0, 0, \"\"}}},\n");
    }
    for ty in &types.owned {
        write(&mut text, format_args!("static void free_{ty}(void *object) {{ {ty}_destroy(({ty} *)object); }}\n"))?;
        write(&mut destroy, format_args!("    [T_{ty}] = free_{ty},\n"))?;
    }
    Ok(text + &table + "};\n" + &destroy + "};\n")
}

/// How the argument of a parameter is passed on.
fn argument(i: usize, p: &Param, types: &Types) -> String {
    match p.ty.as_str() {
        "bir_error *" => "e".to_owned(),
        ty if ty.ends_with('*') => format!("({ty})a[{i}].p"),
        ty if types.callbacks.iter().any(|c| c == ty) => format!("({ty})a[{i}].f"),
        ty => format!("({ty})a[{i}].u"),
    }
}

/// The form of each parameter: kind, what of it, size, whether it is only read.
fn forms(f: &Prototype, types: &Types) -> Result<Vec<String>, String> {
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
                forms.push(format!("P_TEXT, {}, 1, 1", text_kind(f, p)));
                forms.push("P_TEXT_LEN, 0, sizeof(size_t), 0".to_owned());
                i += 1;
            }
            (Some("void"), Some(_)) if is_size(i + 1) => {
                forms.push("P_BYTES, 0, 1, 1".to_owned());
                forms.push("P_BYTES_LEN, 0, sizeof(size_t), 0".to_owned());
                i += 1;
            }
            (Some("void"), None) if p.name == "buffer" && is_size(i + 1) => {
                forms.push("P_ROOM, 0, 1, 0".to_owned());
                forms.push("P_ROOM_LEN, 0, sizeof(size_t), 0".to_owned());
                i += 1;
            }
            (Some("void"), _) => forms.push(format!("P_ADDRESS, 0, 0, {is_const}")),
            (None, None) if types.callbacks.iter().any(|c| c == plain) => {
                forms.push(format!("P_CALLBACK, C_{plain}, sizeof({plain}), 0"));
            }
            (Some(target), _) if types.opaque.iter().any(|o| o == target) => {
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
            (Some(target @ ("bir_string" | "bir_bytes")), None) => {
                forms.push(format!("P_OUT, O_TEXT, sizeof({target}), 0"));
            }
            // `T **out`, a new object that the caller frees.
            (Some(target), None) if types.owned(target).is_some() => {
                let made = types.owned(target).unwrap_or_default();
                forms.push(format!("P_OUT_OWNED, T_{made}, sizeof(void *), 0"));
            }
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

/// What a text of bytes is: a document, the path of a file or folder, or, as most are, UTF-8.
fn text_kind(f: &Prototype, p: &Param) -> &'static str {
    let of_files = [
        "_load_file",
        "_save_file",
        "_to_file",
        "_open_file",
        "_extract",
        "_add_file",
        "_write_file",
        "_check_file",
        "_extract_file",
        "_of_file",
    ];
    match p.name.as_str() {
        "text" if f.name.ends_with("_load") => "X_DOCUMENT",
        "file" | "folder" if of_files.iter().any(|end| f.name.ends_with(end)) => "X_PATH",
        _ => "X_NAME",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::prototypes;

    #[test]
    fn parameters_get_their_forms() {
        let header = "typedef struct bir_a bir_a;\ntypedef struct bir_b { int x; } bir_b;\n\
            bir_status bir_f(bir_a *a, const bir_a *before, const char *name, size_t name_len, const bir_b *bs, size_t n,\n\
            const bir_a *const *as, size_t m, bir_b *out, size_t capacity, size_t *count, int32_t k,\n\
            const void *bytes, size_t size, const void *address, bir_call call, void *user, void **place, bir_h **made,\n\
            const char *file, size_t file_len, void *buffer, size_t room, bir_error *err);\nvoid bir_h_destroy(bir_h *h);\n\
            typedef struct bir_h bir_h;\ntypedef bir_status (*bir_call)(void *user);\nbir_h *bir_made(void);";
        let functions = prototypes(header).unwrap();
        let types = Types::new(header, &functions).unwrap();
        assert_eq!(
            (types.opaque.clone(), types.owned.clone()),
            (vec!["bir_a".into(), "bir_h".into()], vec!["bir_h".into()])
        );
        assert_eq!((types.made(&functions[0]), types.made(&functions[2])), (None, Some("bir_h")));
        let forms = forms(&functions[0], &types).unwrap();
        let kinds: Vec<&str> = forms.iter().map(|form| form.split(", 0").next().unwrap()).collect();
        let expected = [
            "P_OBJECT, T_bir_a",
            "P_OBJECT, T_bir_a",
            "P_TEXT, X_NAME, 1, 1",
            "P_TEXT_LEN",
            "P_ARRAY, E_bir_b, sizeof(bir_b), 1",
            "P_ARRAY_LEN",
            "P_ARRAY, E_bir_a_ptr, sizeof(void *), 1",
            "P_ARRAY_LEN",
            "P_OUT_ARRAY",
            "P_CAPACITY",
            "P_OUT",
            "P_INT",
            "P_BYTES",
            "P_BYTES_LEN",
            "P_ADDRESS",
            "P_CALLBACK, C_bir_call, sizeof(bir_call)",
            "P_ADDRESS",
            "P_OUT",
            "P_OUT_OWNED, T_bir_h, sizeof(void *)",
            "P_TEXT, X_NAME, 1, 1",
            "P_TEXT_LEN",
            "P_ROOM",
            "P_ROOM_LEN",
            "P_ERR",
        ];
        assert_eq!(kinds, expected);
        let text = source(&functions, &types).unwrap();
        assert!(
            text.contains("(bir_call)a[15].f, (void *)a[16].p") && text.contains("[T_bir_h] = free_bir_h,"),
            "{text}"
        );
        assert!(text.contains("{\"bir_made\", R_OBJECT, call_2, T_bir_h, 0, {"), "{text}");
        assert!(source(&prototypes("void bir_g(struct x y);").unwrap(), &types).is_err());
    }
}
