//! The machine.

use serde_json::{Value, json};

use super::{Op, OpContext, OpResult, Row, say};

pub(super) const ROWS: &[Row] = &[("os.live", Op::Now(live))];

fn read_line(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned())
}

/// Reads a line of `/proc/meminfo`, in bytes.
fn memory(info: &str, key: &str) -> u64 {
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn numbers(text: Option<String>) -> Vec<f64> {
    let text = text.unwrap_or_default();
    text.split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect()
}

fn live(context: &OpContext, _: &str) -> OpResult {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let load = numbers(read_line("/proc/loadavg"));
    let uptime = numbers(read_line("/proc/uptime"));
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu: Value = json!({ "model": "unknown", "speed": 0 });
    let env = &context.bridge.options.env;
    let home = context.bridge.options.home.file_name();
    let user = env
        .get("USER")
        .cloned()
        .or_else(|| Some(home?.to_string_lossy().into_owned()));
    say(json!({
        "freemem": memory(&info, "MemAvailable"),
        "totalmem": memory(&info, "MemTotal"),
        "loadavg": load.iter().take(3).collect::<Vec<_>>(),
        "uptime": uptime.first().copied().unwrap_or(0.0),
        "cpus": vec![cpu; cpus],
        "hostname": read_line("/proc/sys/kernel/hostname"),
        "release": read_line("/proc/sys/kernel/osrelease"),
        "version": read_line("/proc/sys/kernel/version"),
        "username": user,
        "uid": rustix::process::getuid().as_raw(),
        "gid": rustix::process::getgid().as_raw(),
        "shell": env.get("SHELL"),
    }))
}
