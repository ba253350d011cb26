//! Ctrl-C: the first asks the search to stop and print what it has reached, the second ends the process at once.

use crate::exit::Exit;
use norn_verdict::limits::StopToken;

pub fn stop_on_interrupt(stop: &StopToken) {
    let stop = stop.clone();
    // Without a handler an interrupt ends the process, which is what it would do anyway.
    let _ = ctrlc::set_handler(move || {
        if stop.is_stopped() {
            std::process::exit(Exit::Interrupted as i32);
        }
        stop.stop();
    });
}
