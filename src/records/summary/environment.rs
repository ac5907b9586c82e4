//! Signs that the machine, and not the code, kept a check from being built: no linker, a full disk, no network.
//!
//! What did not compile for such a reason says nothing about the code, so it refutes nothing.

use super::{Report, Says, Text};

/// What a line holds that names such a reason, each as the tool prints it.
const SIGNS: &[&str] = &[
    // rustc, cargo and build scripts
    "error: linker `",
    "could not find native static library `",
    "could not compile due to a signal",
    "(signal: 9, SIGKILL: kill)",
    "Could not find directory of OpenSSL installation",
    "required by crate `",
    "is `cmake` not installed?",
    "failed to find tool \"",
    "could not find `protoc`",
    "Unable to find libclang",
    "spurious network error",
    "failed to download from `",
    "failed to get `",
    "rustup could not choose a version",
    // compilers and linkers
    "No space left on device",
    "Disk quota exceeded",
    "Cannot allocate memory",
    "collect2: fatal error: ",
    "virtual memory exhausted",
    "xcrun: error: invalid active developer path",
    "tool 'xcodebuild' requires Xcode",
    // Go
    "cgo: C compiler \"",
    "dial tcp: lookup ",
    // everything that asks the network
    "Could not resolve host",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Network is unreachable",
    "getaddrinfo EAI_AGAIN",
    "getaddrinfo ENOTFOUND",
    // the JVM and .NET
    "JAVA_HOME is not set",
    "Unable to locate a Java Runtime",
    "No compiler is provided in this environment",
    "Could not resolve all files for configuration",
    "error NU1301",
    "error MSB4236",
];

/// Takes what did not compile as no word about the code where a line names another reason. A closing total with failures
/// stands: there, tests ran.
pub fn kept_from_building(text: &Text, report: &mut Report) {
    let broke = |report: &Report| report.findings.iter().any(|f| matches!(f.says, Says::Broke | Says::Hint));
    if !broke(report) || report.findings.iter().any(|f| f.says == Says::Fail) {
        return;
    }
    if text.lines().any(|line| SIGNS.iter().any(|sign| line.text.contains(sign))) {
        for finding in report.findings.iter_mut().filter(|f| matches!(f.says, Says::Broke | Says::Hint)) {
            finding.says = Says::NotRun;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{cargo, go};
    use super::*;

    fn text(output: &str) -> Text {
        Text::of(output, false)
    }

    fn says(mut report: Report, text: &Text) -> Vec<Says> {
        kept_from_building(text, &mut report);
        report.findings.iter().map(|f| f.says).collect()
    }

    #[test]
    fn a_missing_linker_is_not_the_code_s_failure_and_a_type_error_is() {
        let linker = text(
            "   Compiling a v0.1.0 (/p)\nerror: linker `cc` not found\n  |\n  = note: No such file or directory (os error 2)\n\nerror: could not compile `a` (lib test) due to 1 previous error\n",
        );
        assert!(!says(cargo::test(&linker), &linker).contains(&Says::Broke));
        let types = text(
            "   Compiling a v0.1.0 (/p)\nerror[E0308]: mismatched types\n --> src/lib.rs:3:5\n\nerror: could not compile `a` (lib test) due to 1 previous error\n",
        );
        assert!(says(cargo::test(&types), &types).contains(&Says::Broke));
    }

    #[test]
    fn a_failing_total_stands_whatever_else_is_printed() {
        let text = self::text(
            "dial tcp: lookup db: no such host\n--- FAIL: TestDb (0.00s)\nFAIL\nFAIL\texample.com/a\t0.002s\nFAIL\n",
        );
        assert!(says(go::test(&text), &text).contains(&Says::Fail));
    }
}
