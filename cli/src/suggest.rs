//! Says what was probably meant.

use bir_core::{Error, ErrorCode};

/// The name nearest to `found`, if it is near enough to be a slip. Case does not count.
pub fn nearest<'a>(found: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = found.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&wanted, &name.to_lowercase());
    let limit = (found.chars().count() / 2).clamp(1, 5);
    names
        .into_iter()
        .map(|name| (distance(name), name))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, n)| n)
}

/// An error for a name that is none of `names`. `all` says where the names are listed.
pub fn unknown<'a>(what: &str, found: &str, names: impl IntoIterator<Item = &'a str>, all: &str) -> Error {
    let hint = match nearest(found, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None => String::from(all),
    };
    let shown: String = found.chars().take(80).collect();
    Error::new(ErrorCode::NotFound, format_args!("unknown {what} `{shown}`; {hint}"))
}
