//! A browser without a window, told what to do by the WebDriver protocol (W3C), over plain HTTP to chromedriver.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// A session; its processes end with it.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.ask("DELETE", "", &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Browser {
    pub fn start() -> Result<Browser, String> {
        let mut driver = Command::new("chromedriver")
            .args(["--port=0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot run chromedriver: {error}"))?;
        let said = driver.stdout.take().ok_or("chromedriver says nothing")?;
        let port = BufReader::new(said).lines().map_while(Result::ok).find_map(|line| {
            let number = line.split_once("successfully on port ")?.1.trim_end_matches('.').parse();
            number.ok()
        });
        let mut browser = Browser { driver, port: port.ok_or("chromedriver names no port")?, session: String::new() };
        let options = json!({ "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"] });
        let capabilities = json!({ "alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } } });
        let created = browser.ask("POST", "/session", &json!({ "capabilities": capabilities }))?;
        let session = created["sessionId"].as_str().ok_or("there is no session")?;
        browser.session = format!("/session/{session}");
        Ok(browser)
    }

    /// The size of the page, in its own pixels.
    pub fn resize(&self, width: u32, height: u32) -> Result<(), String> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        let command = json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": size });
        self.ask("POST", "/goog/cdp/execute", &command).map(drop)
    }

    /// Whether pages are asked to be dark.
    pub fn darken(&self, dark: bool) -> Result<(), String> {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        let command = json!({ "cmd": "Emulation.setEmulatedMedia", "params": features });
        self.ask("POST", "/goog/cdp/execute", &command).map(drop)
    }

    pub fn open(&self, url: &str) -> Result<(), String> {
        self.ask("POST", "/url", &json!({ "url": url })).map(drop)
    }

    /// What a script returns.
    pub fn run(&self, script: &str) -> Result<Value, String> {
        self.ask("POST", "/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Presses keys, one after the other; WebDriver has codes for those without a character.
    pub fn press(&self, keys: &[char]) -> Result<(), String> {
        let both = |key: &char| {
            [
                json!({ "type": "keyDown", "value": key.to_string() }),
                json!({ "type": "keyUp", "value": key.to_string() }),
            ]
        };
        let actions = keys.iter().flat_map(both).collect::<Vec<_>>();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.ask("POST", "/actions", &json!({ "actions": [keyboard] })).map(drop)
    }

    /// What the console of the page has said since it was last asked.
    pub fn console(&self) -> Result<Vec<String>, String> {
        let entries = self.ask("POST", "/se/log", &json!({ "type": "browser" }))?;
        let entries = entries.as_array().ok_or("there is no log")?;
        Ok(entries.iter().map(|entry| entry["message"].as_str().unwrap_or("?").to_owned()).collect())
    }

    /// A picture, as PNG.
    pub fn picture(&self) -> Result<Vec<u8>, String> {
        let text = self.ask("GET", "/screenshot", &Value::Null)?;
        text.as_str().and_then(from_base64).ok_or_else(|| "there is no picture".to_owned())
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let failed = |error: std::io::Error| format!("chromedriver does not answer: {error}");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {}{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json; charset=utf-8\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.session,
            self.port,
            text.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes())).map_err(failed)?;
        let answer = read_answer(&mut BufReader::new(stream)).map_err(failed)?;
        let answer: Value = serde_json::from_slice(&answer).map_err(|error| format!("no JSON: {error}"))?;
        match answer["value"]["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", answer["value"]["message"].as_str().unwrap_or_default())),
            None => Ok(answer["value"].clone()),
        }
    }
}

/// The body of an answer of HTTP, which says how long it is.
fn read_answer(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for &c in text.as_bytes().iter().filter(|&&c| c != b'=') {
        let digit = u32::try_from(DIGITS.iter().position(|&d| d == c)?).ok()?;
        bits = (bits << 6 | digit) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read() {
        assert_eq!(from_base64("aGVsbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(from_base64("//4A").as_deref(), Some(&[255, 254, 0][..]));
        assert_eq!(from_base64("*"), None);
    }
}
