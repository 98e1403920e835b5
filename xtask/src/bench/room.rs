//! How much memory a process may take here: a baseline that does not fit would be killed, or would measure the disk.
use std::fs;

/// Bytes that are free for a process: the system's, and within the limit of its control group if it has one.
pub fn available() -> Option<u64> {
    let system = meminfo(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable")?;
    let group = |file: &str| fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<u64>().ok();
    match (group("memory.max"), group("memory.current")) {
        (Some(limit), Some(used)) => Some(system.min(limit.saturating_sub(used))),
        _ => Some(system),
    }
}

fn meminfo(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_lines_are_read() {
        let text = "MemTotal:       24683836 kB\nMemFree:         100 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(meminfo(text, "MemAvailable"), Some(2048 * 1024));
        assert_eq!(meminfo(text, "MemAvail"), None);
    }
}
