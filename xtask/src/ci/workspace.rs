//! Where things are and how programs are started there, so that a step works from any folder.
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The workspace's folders.
pub struct Workspace {
    /// The folder of the top `Cargo.toml`.
    pub root: PathBuf,
    /// Where everything that is built or fetched goes.
    pub target: PathBuf,
}

impl Workspace {
    /// The workspace that this program was built from.
    pub fn current() -> Workspace {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().unwrap_or(package).to_path_buf();
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
        Workspace { root, target }
    }

    /// A program to be run in the workspace's folder, without input.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root).stdin(Stdio::null());
        command
    }

    /// Cargo, the one that started this program if there is one.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        self.command(&cargo, arguments)
    }

    /// What a program prints; nothing if it does not exist, fails, or prints no text.
    pub fn ask(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = self.command(program, arguments).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    }
}
