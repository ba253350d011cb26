//! Text of others made fit to be shown: `norn_ir::visible`, and the same for JSON.

pub use norn_ir::visible::{is_hidden, source_text, visible, visible_lines, visible_up_to};
use serde_json::Value;
use std::fmt::Write;

/// A JSON value, on several lines. Hidden characters are only found inside strings, where this is another way to write them.
pub fn json(value: &Value) -> String {
    let text = format!("{value:#}");
    if !text.contains(|c: char| is_hidden(c) && c != '\n') {
        return text;
    }
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || !is_hidden(c) {
            all.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(all, "\\u{unit:04x}");
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_json() {
        let value = serde_json::json!({ "file": "a\x1b\u{9b}\u{202e}\u{e0041}\n" });
        let text = json(&value);
        assert!(text.contains(r"a\u001b\u009b\u202e\udb40\udc41\n"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).expect("it should be JSON"), value);
    }
}
