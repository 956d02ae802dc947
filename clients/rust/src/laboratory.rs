//! The laboratory's process, started on first use and shared by all venues of this process with the same settings.

use crate::calls::{Answer, Calls, LabError};
use std::collections::HashMap;
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

const FLAGS: [&str; 7] = ["dev", "--port=0", "--simulator", "off", "--ends-with-clients", "--venues-max", "512"];
const START_MAX: Duration = Duration::from_secs(60);

/// Where a laboratory is, and the connection that holds it: the process ends with its last client.
type Held = (Calls, TcpStream);
static HELD: Mutex<Option<HashMap<(bool, bool), Held>>> = Mutex::new(None);

/// The laboratory that venues with these settings share.
pub fn shared(deterministic: bool, rate_limits: bool) -> Answer<Calls> {
    let mut held = HELD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let all = held.get_or_insert_with(HashMap::new);
    if let Some((calls, _)) = all.get(&(deterministic, rate_limits)) {
        return Ok(calls.clone());
    }
    let default = if cfg!(windows) { "npx.cmd tidemark" } else { "npx tidemark" };
    let mut command = words(&env::var("TIDEMARK_BIN").unwrap_or_else(|_| default.to_string()));
    command.extend(FLAGS.map(String::from));
    command.extend(deterministic.then(|| "--deterministic".to_string()));
    command.extend((!rate_limits).then(|| "--no-rate-limits".to_string()));
    let log = env::temp_dir().join(format!("tidemark-rust-{}-{}.log", process::id(), all.len()));
    let ready = begin(&command, &log);
    let _ = fs::remove_file(&log);
    let calls = Calls { url: ready?, token: None };
    let attached = calls.open("GET", "/_lab/attached", "", &[])?;
    all.insert((deterministic, rate_limits), (calls.clone(), attached));
    Ok(calls)
}

/// Where it is ready. Settings of a venue in this process are not those of the laboratory.
fn begin(command: &[String], log: &std::path::Path) -> Answer<String> {
    let no_start = |why: String| LabError::here("no-start", format!("{} does not start: {why}", command[0]));
    let output = fs::File::create(log).map_err(|cause| no_start(cause.to_string()))?;
    let errors = output.try_clone().map_err(|cause| no_start(cause.to_string()))?;
    let mut started = Command::new(&command[0]);
    started.args(&command[1..]).stdin(Stdio::null()).stdout(output).stderr(errors);
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TIDEMARK_")) {
        started.env_remove(name);
    }
    let mut child = started.spawn().map_err(|cause| no_start(cause.to_string()))?;
    let until = Instant::now() + START_MAX;
    loop {
        let ended = Instant::now() > until || !matches!(child.try_wait(), Ok(None));
        let said = fs::read_to_string(log).unwrap_or_default();
        let ready = said.split_inclusive('\n').find_map(|line| line.strip_prefix("ready ")?.strip_suffix('\n'));
        if let Some(url) = ready {
            return Ok(url.trim().to_string());
        }
        if ended {
            let _ = child.kill();
            return Err(no_start(said.trim().to_string()));
        }
        thread::sleep(Duration::from_millis(15));
    }
}

/// A command as a shell takes it apart, with quotes of both kinds.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for one in command.trim().chars() {
        let word = words.last_mut().expect("there is always one");
        match quote {
            Some(end) if one == end => quote = None,
            None if one == '\'' || one == '"' => quote = Some(one),
            None if one == ' ' => words.push(String::new()),
            _ => word.push(one),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
