//! One page for a browser that shows what was found: a counterexample step by step, a cycle, or what a safe verdict covered.
//!
//! The page needs no network and no other file. Its data is JSON in a script element, written so that nothing in it can end
//! the element; its script puts text into the page as text only. `page.js` and `page.css` are by hand, without a framework.

mod data;
mod listing;

use crate::Sources;
use crate::format::{Finding, Format};
use crate::visible;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing is loaded from anywhere, and nothing is sent.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'";

/// A page of its own.
pub struct Page;

impl Format for Page {
    fn render(&self, findings: &[Finding<'_>], sources: &Sources<'_>) -> Option<String> {
        let lines = findings.iter().map(|finding| finding.line(sources)).collect::<Vec<_>>();
        let title = element_text(lines.first()?);
        let verdicts = lines.iter().map(|line| format!("<p>{}</p>\n", element_text(line))).collect::<String>();
        let data = script_text(&data::page(findings, sources));
        Some(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
             <body>\n<main id=\"page\">\n<noscript>\n<p>The steps are shown by a script of this page, which your browser does not run.</p>\n\
             {verdicts}</noscript>\n</main>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        ))
    }
}

/// Text between tags.
fn element_text(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            c => all.push(c),
        }
    }
    all
}

/// JSON inside a script element: what could end the element or begin a comment is written as an escape of JSON, which
/// means the same. Outside of strings JSON has none of these characters.
fn script_text(value: &serde_json::Value) -> String {
    let text = value.to_string();
    let mut all = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '<' | '>' | '&' => {
                let _ = write!(all, "\\u{:04x}", c as u32);
            }
            c if visible::is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(all, "\\u{unit:04x}");
                }
            }
            c => all.push(c),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_data_and_it_stays_the_same() {
        let evil = "</script><!--<script>\u{2028}\u{202e}]]>&amp;\u{0}\"'\\";
        let value = serde_json::json!({ evil: [evil] });
        let text = script_text(&value);
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{202e}']), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("it should be JSON"), value);
        assert_eq!(element_text("<b a=\"&\">"), "&lt;b a=&quot;&amp;&quot;&gt;");
    }
}
