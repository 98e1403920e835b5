//! Progress on the terminal for what takes over a second; nothing for what does not.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What takes less than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A progress bar that is shown after a second and goes away when dropped.
pub struct Progress {
    bar: ProgressBar,
    waiter: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Moves a progress bar.
pub struct Handle(ProgressBar);

impl Handle {
    /// So many bytes are done.
    pub fn position(&self, bytes: u64) {
        self.0.set_position(bytes);
    }
}

impl Progress {
    /// For work of unknown length.
    pub fn spinner(quiet: bool, message: String) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(message);
        Progress::start(quiet, styled(bar, "{spinner} {msg} ({elapsed})"))
    }

    /// For work on a known number of bytes.
    pub fn bytes(quiet: bool, total: u64, message: String) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden()).with_message(message);
        Progress::start(quiet, styled(bar, "{msg} {wide_bar} {bytes}/{total_bytes}"))
    }

    /// For reading a document, of which the number of bytes may be known.
    pub fn loading(quiet: bool, total: Option<u64>, message: String) -> Progress {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden()).with_message(message);
        let template = match total {
            Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes}, {prefix} instructions",
            None => "{spinner} {msg} {bytes}, {prefix} instructions ({elapsed})",
        };
        Progress::start(quiet, styled(bar, template))
    }

    /// So many bytes and instructions were read.
    pub fn at(&self, bytes: u64, instructions: u64) {
        self.bar.set_position(bytes);
        self.bar.set_prefix(instructions.to_string());
    }

    /// What moves the bar, for who does the work.
    pub fn handle(&self) -> Handle {
        Handle(self.bar.clone())
    }

    /// So many bytes of so many are done.
    pub fn at_of(&self, bytes: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(bytes);
    }

    fn start(quiet: bool, bar: ProgressBar) -> Progress {
        if quiet || !std::io::stderr().is_terminal() {
            return Progress { bar, waiter: None };
        }
        let (sender, receiver) = channel();
        let shown = bar.clone();
        // Without a thread there is no progress to see, and nothing else is lost.
        let thread = std::thread::Builder::new().spawn(move || {
            if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(100));
            }
        });
        Progress { bar, waiter: thread.ok().map(|thread| (sender, thread)) }
    }
}

/// A template that does not parse leaves the library's own style.
fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.waiter.take() {
            drop(sender);
            // It has nothing to report, and must not draw after the bar is cleared.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
