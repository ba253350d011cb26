//! The programs of schedulers, run for an answer.

use crate::owned::Tool;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// More than a scheduler that works takes.
const LONGEST: Duration = Duration::from_secs(60);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// What the program writes, or why there is nothing.
pub fn run(words: &[String], input: &str) -> Result<String, String> {
    let (name, arguments) = words.split_first().ok_or("there is nothing to run")?;
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut tool =
        Tool::start(&mut command).map_err(|error| format!("cannot run '{name}': {error}; is it installed?"))?;
    let (mut stdin, stdout, stderr) = (tool.child.stdin.take(), tool.child.stdout.take(), tool.child.stderr.take());
    let input = input.to_owned();
    // Who does not read it has its reasons.
    thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes())));
    let (said, complained) = (listener(stdout), listener(stderr));
    let start = Instant::now();
    let status = loop {
        match tool.ended() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < LONGEST => thread::sleep(BETWEEN_LOOKS),
            _ => return Err(format!("'{name}' does not come to an end")),
        }
    };
    tool.end();
    let (said, complained) = (said.join().unwrap_or_default(), complained.join().unwrap_or_default());
    match status.success() {
        true => Ok(said),
        false => Err(format!("'{name}' failed: {}", complained.lines().next().unwrap_or("it does not say why"))),
    }
}

fn listener(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    const MOST: u64 = 64 << 20;
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error counts.
            let _ = pipe.take(MOST).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs a program at the end of this process, when nothing that belongs to it can be started any more.
pub fn run_alone(words: &[String]) {
    const LONGEST: Duration = Duration::from_secs(5);
    let Some((name, arguments)) = words.split_first() else { return };
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return };
    let start = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && start.elapsed() < LONGEST {
        thread::sleep(BETWEEN_LOOKS);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::run;

    fn check(words: &[&str], input: &str, expected: Result<&str, &str>) {
        let words = words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(run(&words, input), expected.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn programs_are_heard() {
        check(&["cat"], "hello", Ok("hello"));
        check(&["sh", "-c", "echo no >&2; exit 3"], "", Err("'sh' failed: no"));
        check(&["sh", "-c", "exit 3"], "", Err("'sh' failed: it does not say why"));
        let missing = run(&["/no/such/program".to_owned()], "").expect_err("there is none");
        assert!(missing.contains("is it installed?"), "{missing}");
    }
}
