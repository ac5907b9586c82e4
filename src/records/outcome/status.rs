//! Whose status was reported: the runner's own, or another command's.

use super::rules::Said;
use super::{Executed, Judged, Seen};
use crate::records::invocation::{Invocation, Reached};
use crate::records::runners::row::Row;
use crate::records::summary::Says;

/// The runner's own status, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Own {
    Zero,
    Code(i64),
    /// Not known, and why.
    Masked(String),
}

impl Own {
    pub fn code(&self) -> Option<i64> {
        match self {
            Own::Zero => Some(0),
            Own::Code(code) => Some(*code),
            Own::Masked(_) => None,
        }
    }
}

/// A run that was not seen to end: whatever it printed is not all.
pub fn unfinished(reason: Option<&str>) -> Option<String> {
    let reason = reason?;
    let words = ["background", "timed", "interrupt", "abort", "cancel", "kill", "differ"];
    let lower = reason.to_ascii_lowercase();
    words.iter().any(|w| lower.contains(w)).then(|| match reason {
        "background" => "it went to the background, and its end was not seen".to_owned(),
        "timed_out" => "it was still running when its time was over".to_owned(),
        "interrupted" => "it was interrupted".to_owned(),
        other => other.to_owned(),
    })
}

/// The own status, or the answer where the status alone settles that the run did not complete.
pub fn own(seen: &Seen<'_>, row: &Row, said: &Said, near_end: bool) -> Result<Own, Box<Judged>> {
    let invocation = seen.invocation;
    let status = invocation.status;
    let Some(code) = seen.reported_exit else {
        return Ok(Own::Masked("its exit status was not told".into()));
    };
    if status.inverted {
        return Ok(Own::Masked("its exit status was inverted".into()));
    }
    // Its words show that it was started, unless they can be another command's.
    let spoke = said.says.is_some() && (!invocation.foreign.before || near_end);
    let started = invocation.reached == Reached::Always || spoke;
    if code == 0 {
        let own = status.zero && (status.zero_ran || started);
        return Ok(if own { Own::Zero } else { Own::Masked(masked(status.zero)) });
    }
    if !status.nonzero {
        return Ok(Own::Masked(masked(false)));
    }
    if let Some(judged) = incomplete(invocation, row, code, said) {
        return Err(Box::new(judged));
    }
    Ok(if started { Own::Code(code) } else { Own::Masked(masked(true)) })
}

fn masked(own_if_started: bool) -> String {
    let why =
        if own_if_started { "whether it was started cannot be told" } else { "the status reported is not its own" };
    why.to_owned()
}

/// It could not be started, or it was ended from outside.
fn incomplete(invocation: &Invocation, row: &Row, code: i64, said: &Said) -> Option<Judged> {
    let unknown = |executed, rule, reason: String| {
        let own_exit = (invocation.reached == Reached::Always).then_some(code);
        Some(Judged { own_exit, ..Judged::unknown(executed, rule, reason) })
    };
    let counted = row.exit_counts && said.says == Some(Says::Fail) && said.counts.bad() % 256 == code.unsigned_abs();
    if u8::try_from(code).is_ok_and(|code| invocation.wrapper_codes.contains(&code)) {
        let reason = format!("exit {code}: its wrapper's word for a run that was not made or not ended");
        return unknown(Executed::CannotTell, "a wrapper's status", reason);
    }
    match code {
        126 | 127 if !counted => {
            unknown(Executed::Nothing, "not started", format!("exit {code}: it could not be started"))
        }
        129.. if !counted => {
            unknown(Executed::CannotTell, "killed", format!("exit {code}: it was killed before it had an answer"))
        }
        ..0 => unknown(Executed::CannotTell, "killed", format!("exit {code}: it was ended from outside")),
        _ => None,
    }
}

/// Nothing that could fail by itself stands between the line and the program: a status can only be the program's.
pub fn starts_directly(invocation: &Invocation) -> bool {
    const TRANSPARENT: &[&str] = &[
        "env", "timeout", "gtimeout", "time", "nice", "ionice", "nohup", "stdbuf", "command", "exec", "sudo", "doas",
        "bash", "sh", "zsh", "dash", "setsid", "xvfb-run", "builtin", "eval",
    ];
    invocation.elsewhere.is_none()
        && invocation.via.iter().all(|v| v.split(' ').next().is_some_and(|program| TRANSPARENT.contains(&program)))
}
