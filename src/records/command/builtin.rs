//! The shell's own commands: those that change what the shell does next, which no program can.

use super::grammar;
use super::place::{After, enter, join};
use super::plan::{Ends, Flag, Plan, Value};
use super::scope::Scope;
use super::syntax::{Assignment, Word};
use super::walk::{Walk, Walked};
use crate::records::invocation::Dir;

/// Scripts that are sourced for their variables: nothing else is expected of them.
const ENVIRONMENT_SCRIPTS: &[&str] = &[
    "activate",
    "env",
    ".env",
    ".envrc",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    "nvm.sh",
    "sdkman-init.sh",
    "export-esp.sh",
];

impl Walk {
    /// A builtin's plan; `None` if it is none of those that matter here.
    pub fn builtin(&mut self, name: &str, words: &[Word], span: (usize, usize), scope: &Scope) -> Option<Walked> {
        let stays = After::both(self.shell.dir.clone());
        let arguments = &words[1..];
        let plan = match name {
            "cd" => return Some(Ok(self.cd(arguments))),
            "pushd" | "popd" => return Some(Ok(self.pushd(name, arguments, scope))),
            "exit" | "return" => {
                let value = match arguments.first() {
                    Some(word) => self.value_of(word),
                    None if scope.late => Value::Variable(super::plan::ENTRY),
                    None => Value::Last,
                };
                if name == "return" && !scope.in_function {
                    return Some(Ok((Plan::Ends(Ends::Complains), stays)));
                }
                if name == "exit" {
                    return Some(Ok((Plan::Exit(value), After::never())));
                }
                self.returned = join(self.returned.take(), Some(self.shell.dir.clone()));
                return Some(Ok((Plan::Return(value), After::never())));
            }
            "break" | "continue" => {
                if !scope.breaks {
                    // Only a complaint.
                    return Some(Ok((Plan::Ends(Ends::Prints), stays)));
                }
                let levels = arguments.first().map_or(Some(1), |word| word.literal()?.parse().ok());
                let Some(levels @ 1..) = levels else { return Some(Err(format!("`{name}` of no number"))) };
                self.left = join(self.left.take(), Some(self.shell.dir.clone()));
                if name == "break" { Plan::Break(levels) } else { Plan::Continue(levels) }
            }
            "set" => self.set(arguments),
            "shopt" => shopt(arguments),
            "trap" => return Some(self.trap(arguments, scope).map(|plan| (plan, stays))),
            "wait" => self.wait(arguments, scope),
            "export" | "declare" | "typeset" | "readonly" | "local" => self.declare(name, arguments, scope),
            "unset" => {
                arguments.iter().filter_map(Word::literal).for_each(|name| self.forget(&name));
                Plan::Ends(Ends::Zero)
            }
            "exec" => return Some(self.exec(arguments, span, scope).map(|plan| (plan, stays))),
            "eval" => return Some(self.eval(words, span, scope)),
            "source" | "." => return Some(Ok(self.source(words, span, scope))),
            "read" | "mapfile" | "readarray" | "getopts" => {
                arguments.iter().filter_map(Word::literal).for_each(|name| self.forget(&name));
                Plan::Ends(Ends::Any)
            }
            "let" | "shift" | "umask" | "ulimit" | "hash" | "bind" | "complete" | "disown" | "fg" | "bg" | "alias"
            | "unalias" | "enable" => {
                if name == "let" || name == "shift" {
                    self.shell.values.clear();
                }
                Plan::Ends(Ends::Complains)
            }
            "kill" if arguments.iter().any(|word| ends_the_shell(&word.raw)) => Plan::Wild,
            "coproc" => return Some(Err("a coprocess".into())),
            _ => return None,
        };
        Some(Ok((plan, stays)))
    }

    fn cd(&mut self, arguments: &[Word]) -> (Plan, After) {
        let here = self.shell.dir.clone();
        let options = ["-L", "-P", "-e", "-@", "--"];
        let target = arguments.iter().find(|word| !options.contains(&word.raw.as_str()));
        let there = match target {
            None => Dir::To("~".into()),
            Some(word) if word.raw == "-" => self.shell.previous.clone(),
            Some(word) => enter(&here, word),
        };
        self.shell.previous = here.clone();
        (Plan::Ends(Ends::Complains), After { missed: Some(here), ..After::at(there) })
    }

    /// What is pushed or popped perhaps makes the whole stack unsure.
    fn pushd(&mut self, name: &str, arguments: &[Word], scope: &Scope) -> (Plan, After) {
        let here = self.shell.dir.clone();
        let there = match arguments.first() {
            Some(word) if name == "pushd" => {
                self.shell.stack.push(here.clone());
                enter(&here, word)
            }
            None if name == "popd" => self.shell.stack.pop().unwrap_or(Dir::Unknown),
            _ => Dir::Unknown,
        };
        if !scope.sure {
            self.shell.stack.fill(Dir::Unknown);
        }
        self.shell.previous = here.clone();
        (Plan::Ends(Ends::Complains), After { missed: Some(here), ..After::at(there) })
    }

    fn set(&mut self, arguments: &[Word]) -> Plan {
        let mut options = Vec::new();
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            at += 1;
            let Some(text) = word.literal() else { return Plan::Wild };
            let on = text.starts_with('-');
            let Some(letters) = text.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty() && *letters != "-")
            else {
                self.shell.arguments = None;
                break;
            };
            for letter in letters.chars() {
                let flag = match letter {
                    'e' => Some(Flag::ErrExit),
                    'u' => Some(Flag::NoUnset),
                    'o' => {
                        let name = arguments.get(at).and_then(Word::literal).unwrap_or_default();
                        at += 1;
                        match name.as_str() {
                            "errexit" => Some(Flag::ErrExit),
                            "pipefail" => Some(Flag::PipeFail),
                            "nounset" => Some(Flag::NoUnset),
                            "noexec" | "onecmd" => return Plan::Wild,
                            _ => None,
                        }
                    }
                    'n' | 't' => return Plan::Wild,
                    _ => None,
                };
                options.extend(flag.map(|flag| (flag, on)));
            }
        }
        self.err_exits += usize::from(options.contains(&(Flag::ErrExit, true)));
        Plan::Options(options)
    }

    /// `trap 'body' EXIT`; a trap for a signal matters only if it ends the shell.
    fn trap(&mut self, arguments: &[Word], scope: &Scope) -> Result<Plan, String> {
        let arguments: Vec<&Word> = arguments.iter().filter(|word| word.raw != "--").collect();
        let signals: Vec<String> = arguments.iter().skip(1).map(|word| word.raw.to_ascii_uppercase()).collect();
        if signals.is_empty() {
            return Ok(Plan::Ends(Ends::Zero));
        }
        let Some(body) = arguments[0].literal() else { return Ok(Plan::Wild) };
        let exits = signals.iter().any(|signal| signal == "EXIT" || signal == "0");
        let others = signals.iter().filter(|signal| *signal != "EXIT" && *signal != "0");
        let resets = body.is_empty() || body == "-";
        let ends = ["exit", "return", "kill", "exec"].iter().any(|word| body.contains(word));
        for signal in others {
            let often = ["ERR", "DEBUG", "RETURN", "CHLD", "SIGCHLD"].contains(&signal.as_str());
            if !resets && (ends || (often && !body.starts_with("echo "))) {
                return Ok(Plan::Wild);
            }
        }
        if !exits {
            return Ok(Plan::Ends(Ends::Zero));
        }
        if resets {
            return Ok(Plan::Trap(None));
        }
        let inner = Scope { late: true, loops: Vec::new(), breaks: false, in_function: false, ..scope.unsure() };
        let script = grammar::script(&body)?;
        let shell = self.shell.clone();
        self.shell.dir = Dir::Unknown;
        let plan = self.script(&script, &inner);
        self.shell = shell;
        self.traps.push(plan?.0);
        Ok(Plan::Trap(Some(self.traps.len() - 1)))
    }

    fn wait(&mut self, arguments: &[Word], scope: &Scope) -> Plan {
        let here = self.leaves.len();
        let Some(last) = arguments.last() else {
            if scope.sure {
                for job in self.shell.jobs.clone() {
                    if let Some(waited) = self.jobs.get_mut(job) {
                        *waited = waited.or(Some(here));
                    }
                }
            }
            return Plan::Wait(None);
        };
        for word in arguments {
            let job = match word.variable() {
                Some("!") => self.shell.last_job,
                Some(name) => self.shell.job_names.get(name).copied(),
                None => None,
            };
            if let Some(waited) = job.filter(|_| scope.sure).and_then(|job| self.jobs.get_mut(job)) {
                *waited = waited.or(Some(here));
            }
        }
        let value = match last.variable() {
            Some(name) => self.value_named(name),
            None => Value::Unknown,
        };
        Plan::Wait(Some(value))
    }

    fn declare(&mut self, name: &str, arguments: &[Word], scope: &Scope) -> Plan {
        let mut plans = Vec::new();
        for word in arguments {
            let Some(Assignment { name: variable, value }) = word.assignment() else {
                if name == "export"
                    && let Some(variable) = word.literal()
                    && let Some(text) = self.shell.values.get(&variable)
                {
                    let text = text.clone();
                    self.export(variable, Word::plain(&text));
                }
                continue;
            };
            if name == "export" {
                let value = self.resolve(&value);
                self.export(variable.clone(), value);
            }
            plans.extend(self.assign(&variable, &value, scope));
        }
        plans.push(Plan::Ends(if name == "local" && !scope.in_function { Ends::Complains } else { Ends::Zero }));
        Plan::Sequence(plans)
    }

    fn export(&mut self, name: String, value: Word) {
        self.shell.exported.retain(|(known, _)| *known != name);
        self.shell.exported.push((name, value));
    }

    fn exec(&mut self, arguments: &[Word], span: (usize, usize), scope: &Scope) -> Result<Plan, String> {
        let mut at = 0;
        while let Some(option) = arguments.get(at).and_then(Word::literal).filter(|text| text.starts_with('-')) {
            at += if option == "-a" { 2 } else { 1 };
        }
        let words = arguments.get(at..).unwrap_or_default();
        if words.is_empty() {
            // `exec > log`: from here on. `exec 2>&1` loses nothing.
            self.shell.silenced |= scope.out.view > scope.err.view || scope.err.view > scope.out.view || scope.writes;
            self.shell.silenced |= scope.out.view == crate::records::invocation::View::Hidden;
            return Ok(Plan::Ends(Ends::Zero));
        }
        let mut inner = scope.clone();
        inner.via.push("exec".into());
        Ok(Plan::Exec(Box::new(self.program(words, span, &inner)?)))
    }

    /// `eval 'text'` runs here; what is not known can do anything.
    fn eval(&mut self, words: &[Word], span: (usize, usize), scope: &Scope) -> Walked {
        let texts: Option<Vec<String>> = words[1..].iter().map(Word::literal).collect();
        let Some(text) = texts.map(|texts| texts.join(" ")) else {
            return Ok(self.foreign(words, span, scope));
        };
        self.layers += 1;
        let inner = Scope { span: Some(span), piece: false, ..scope.clone() };
        let walked = match self.layers > super::walk::MAX_LAYERS {
            true => Err("too much `eval`".to_owned()),
            false => grammar::script(&text).and_then(|script| self.script(&script, &inner)),
        };
        self.layers -= 1;
        let (plan, after) = walked?;
        let plan = Plan::Evaluated(Box::new(plan));
        Ok((if scope.piece { Plan::MayCount(Box::new(plan)) } else { plan }, after))
    }

    fn source(&mut self, words: &[Word], span: (usize, usize), scope: &Scope) -> (Plan, After) {
        let file = words.get(1).map(super::unwrap::program_name).unwrap_or_default();
        if ENVIRONMENT_SCRIPTS.contains(&file.as_str()) {
            self.shell.values.clear();
            return (Plan::Ends(Ends::Any), After::both(self.shell.dir.clone()));
        }
        self.foreign(words, span, scope)
    }

    /// Text that is not known runs in this shell: it may end it, and change its options and its directory.
    fn foreign(&mut self, words: &[Word], span: (usize, usize), scope: &Scope) -> (Plan, After) {
        let plan = self.record(words, span, scope);
        self.shell.values.clear();
        self.shell.dir = Dir::Unknown;
        (Plan::Sequence(vec![plan, Plan::Foreign]), After::both(Dir::Unknown))
    }
}

/// `shopt -s`: the options that change what a status means.
fn shopt(arguments: &[Word]) -> Plan {
    let risky = ["lastpipe", "inherit_errexit", "failglob", "expand_aliases", "extdebug"];
    let names = arguments.iter().any(|word| word.literal().is_none_or(|text| risky.contains(&text.as_str())));
    if names { Plan::Wild } else { Plan::Ends(Ends::Any) }
}

fn ends_the_shell(target: &str) -> bool {
    matches!(target.trim_matches('"'), "0" | "$$" | "-$$" | "-1" | "$PPID" | "--")
}
