//! The prototypes of a C header: what the checks of all functions are made from.

/// A parameter or a result: its type as written, without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The type, in one line, with one space before the first `*`, e.g. `const bir_inst *` or `int32_t`.
    pub ty: String,
    /// The name; empty for a result.
    pub name: String,
}

/// A function of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// The name, e.g. `bir_inst_name`.
    pub name: String,
    /// The type of the result.
    pub result: String,
    /// The parameters; none for `(void)`.
    pub params: Vec<Param>,
}

/// All functions of a header, in its order.
///
/// It reads what cbindgen writes: function pointers only as types with a name, see [`callbacks`], no macros within
/// prototypes. Anything else that looks like a function is an error, so that none goes unnoticed.
pub fn prototypes(text: &str) -> Result<Vec<Prototype>, String> {
    let mut found = Vec::new();
    for statement in code(text)? {
        if callback(&statement)?.is_none()
            && let Some(open) = statement.find('(')
        {
            found.push(prototype(&statement, open)?);
        }
    }
    Ok(found)
}

/// All types of functions that callers write: the `typedef bir_status (*bir_callback)(void *user);` of a header.
pub fn callbacks(text: &str) -> Result<Vec<Prototype>, String> {
    code(text)?.iter().filter_map(|statement| callback(statement).transpose()).collect()
}

/// The statements of a header.
fn code(text: &str) -> Result<Vec<String>, String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    Ok(statements(&without_comments(&code.join("\n"))?))
}

/// The type of a function, if the statement is one.
fn callback(statement: &str) -> Result<Option<Prototype>, String> {
    let Some(statement) = statement.strip_prefix("typedef ").filter(|rest| rest.contains('(')) else { return Ok(None) };
    let plain = statement.replacen("(*", "", 1).replacen(')', "", 1);
    let open = plain.find('(').ok_or_else(|| format!("not the type of a function: {statement}"))?;
    prototype(&plain, open).map(Some)
}

/// The text without `/* */` comments.
fn without_comments(text: &str) -> Result<String, String> {
    let mut left = String::new();
    let mut rest = text;
    while let Some((code, comment)) = rest.split_once("/*") {
        left.push_str(code);
        left.push(' ');
        rest = comment.split_once("*/").ok_or("a comment has no end")?.1;
    }
    left.push_str(rest);
    Ok(left)
}

/// What ends with `;` outside of braces, each in one line.
fn statements(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut statement = String::new();
    for c in code.replace("extern \"C\" {", " ").chars() {
        match c {
            '{' => depth += 1,
            // The last one closes `extern "C"`.
            '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => {
                found.push(statement.split_whitespace().collect::<Vec<_>>().join(" "));
                statement.clear();
            }
            _ if depth == 0 => statement.push(c),
            _ => {}
        }
    }
    found
}

fn prototype(statement: &str, open: usize) -> Result<Prototype, String> {
    let wrong = || format!("not a prototype: {statement}");
    let (head, list) = (&statement[..open], statement[open + 1..].strip_suffix(')').ok_or_else(wrong)?);
    if list.contains('(') {
        return Err(wrong());
    }
    let Param { ty: result, name } = param(head).ok_or_else(wrong)?;
    let params = match list.trim() {
        "void" => Vec::new(),
        list => list.split(',').map(param).collect::<Option<_>>().ok_or_else(wrong)?,
    };
    Ok(Prototype { name, result, params })
}

fn param(text: &str) -> Option<Param> {
    let text = text.trim();
    let start = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))? + 1;
    let (ty, name) = (text[..start].trim(), &text[start..]);
    if ty.is_empty() || name.is_empty() {
        return None;
    }
    Some(Param { ty: ty.to_owned(), name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prototypes_are_found_and_nothing_else() {
        let text = "/* bir_a(x) */\n#define BIR_B(x) x\nextern \"C\" {\ntypedef struct bir_c { int a; } bir_c;\n\
            bir_status bir_d(const bir_c *c,\n    bir_c **out, const bir_c *const *list, size_t n);\n\
            typedef bir_status (*bir_f)(void *user,\n    struct bir_c *c);\nuint32_t bir_e(void);\n}\n";
        let p = |ty: &str, name: &str| Param { ty: ty.to_owned(), name: name.to_owned() };
        let d =
            vec![p("const bir_c *", "c"), p("bir_c **", "out"), p("const bir_c *const *", "list"), p("size_t", "n")];
        let expected = [
            Prototype { name: "bir_d".to_owned(), result: "bir_status".to_owned(), params: d },
            Prototype { name: "bir_e".to_owned(), result: "uint32_t".to_owned(), params: Vec::new() },
        ];
        assert_eq!(prototypes(text).unwrap(), expected);
        let f = vec![p("void *", "user"), p("struct bir_c *", "c")];
        let f = Prototype { name: "bir_f".to_owned(), result: "bir_status".to_owned(), params: f };
        assert_eq!(callbacks(text).unwrap(), [f]);
        assert!(callbacks("typedef void bir_f;").unwrap().is_empty());
        assert!(callbacks("typedef void (bir_f);").is_err());
        assert!(prototypes("typedef void (*bir_f)(void (*)(int));").is_err());
        assert!(prototypes("void bir_f(void (*callback)(int));").is_err());
        assert!(prototypes("void bir_g(int);").is_err());
        assert!(prototypes("/* no end").is_err());
    }
}
