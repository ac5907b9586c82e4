//! Programs that run another program: one row each. A new one is a row here and a case in `tests/it/commands`.

use super::containers::{COMPOSE_EXEC, COMPOSE_RUN, DOCKER_EXEC, DOCKER_RUN};
use super::wrapper::{Codes, Effect, Inner, Starts, Wrapper};

const OWN: Effect = Effect { codes: Codes::Own, starts: Starts::Always };
const TRIES: Effect = Effect { codes: Codes::Own, starts: Starts::Perhaps };
const MASKS: Effect = Effect { codes: Codes::Any, starts: Starts::Perhaps };

/// `name program args…`, and nothing else to know.
const PLAIN: Wrapper = Wrapper {
    name: "",
    then: &[],
    takes: &[],
    operands: 0,
    assigns: false,
    inner: Inner::Program,
    after: &[],
    unless: &["--help", "--version"],
    detaches: &[],
    directory: &[],
    effect: OWN,
    codes: &[],
    elsewhere: false,
    names: false,
    tools_only: false,
    talks: 0,
};
/// It may fail before the program begins.
const TRIER: Wrapper = Wrapper { effect: TRIES, ..PLAIN };
/// It finds the program among packages.
const PACKAGES: Wrapper = Wrapper { names: true, ..TRIER };
/// In a container or on another machine.
pub(super) const FAR: Wrapper = Wrapper { elsewhere: true, operands: 1, codes: &[125], ..TRIER };
/// Runs tools and scripts of the project alike.
const SCRIPTS: Wrapper = Wrapper { tools_only: true, ..PACKAGES };
const UV_RUN: Wrapper = Wrapper {
    name: "uv",
    then: &["run"],
    takes: &[
        "--with",
        "-p",
        "--python",
        "--extra",
        "--group",
        "--only-group",
        "--env-file",
        "--project",
        "--package",
        "--index",
        "--with-requirements",
        "--with-editable",
        "--index-url",
        "--extra-index-url",
        "--no-group",
        "--config-file",
        "--color",
    ],
    inner: Inner::Module { option: "-m", or_program: true },
    directory: &["--directory"],
    unless: &["--help", "--script", "-s"],
    ..PACKAGES
};
pub const WRAPPERS: &[Wrapper] = &[
    // The system's
    Wrapper {
        name: "env",
        takes: &["-u", "--unset", "-a", "--argv0"],
        assigns: true,
        directory: &["-C", "--chdir"],
        unless: &["-S", "--split-string", "--help", "--version"],
        codes: &[125],
        ..PLAIN
    },
    Wrapper {
        name: "timeout",
        takes: &["-k", "--kill-after", "-s", "--signal"],
        operands: 1,
        codes: &[124, 125, 137],
        ..PLAIN
    },
    Wrapper {
        name: "gtimeout",
        takes: &["-k", "--kill-after", "-s", "--signal"],
        operands: 1,
        codes: &[124, 125, 137],
        ..PLAIN
    },
    Wrapper { name: "time", takes: &["-f", "--format", "-o", "--output"], talks: 25, ..PLAIN },
    Wrapper { name: "gtime", takes: &["-f", "--format", "-o", "--output"], talks: 25, ..PLAIN },
    Wrapper { name: "nice", takes: &["-n", "--adjustment"], codes: &[125], ..PLAIN },
    Wrapper { name: "ionice", takes: &["-c", "--class", "-n", "--classdata", "-p", "--pid"], ..PLAIN },
    Wrapper { name: "chrt", operands: 1, unless: &["-p", "--pid", "-m", "--help", "--version"], ..PLAIN },
    Wrapper { name: "taskset", operands: 1, unless: &["-p", "--pid", "--help", "--version"], ..PLAIN },
    Wrapper { name: "stdbuf", takes: &["-i", "-o", "-e", "--input", "--output", "--error"], codes: &[125], ..PLAIN },
    Wrapper { name: "nohup", codes: &[125], ..PLAIN },
    Wrapper { name: "setsid", unless: &["-f", "--fork", "--help", "--version"], effect: MASKS, ..PLAIN },
    Wrapper { name: "caffeinate", takes: &["-t", "-w"], ..PLAIN },
    Wrapper { name: "arch", takes: &["-arch", "-e", "-d"], ..PLAIN },
    Wrapper { name: "command", unless: &["-v", "-V"], ..PLAIN },
    Wrapper { name: "builtin", ..PLAIN },
    Wrapper {
        name: "sudo",
        takes: &["-u", "--user", "-g", "--group", "-h", "--host", "-p", "--prompt", "-C", "-T", "-R", "-r", "-t", "-U"],
        assigns: true,
        directory: &["-D", "--chdir"],
        unless: &["-l", "-v", "-k", "-K", "-e", "-V", "--list", "--edit", "--help", "--version"],
        ..TRIER
    },
    Wrapper { name: "doas", takes: &["-u", "-C"], unless: &["-s", "-L"], ..TRIER },
    Wrapper { name: "su", inner: Inner::TextOption { option: "-c", or_program: false }, takes: &["-s", "-g"], ..TRIER },
    Wrapper {
        name: "flock",
        takes: &["-w", "--timeout", "-E", "--conflict-exit-code"],
        operands: 1,
        inner: Inner::TextOption { option: "-c", or_program: true },
        codes: &[1],
        ..TRIER
    },
    Wrapper {
        name: "xargs",
        takes: &[
            "-n",
            "-I",
            "-P",
            "-L",
            "-d",
            "-E",
            "-s",
            "-a",
            "-J",
            "-R",
            "-S",
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--delimiter",
            "--arg-file",
            "--replace",
            "--max-chars",
        ],
        effect: Effect { codes: Codes::Folded, starts: Starts::OrNothing },
        ..PLAIN
    },
    Wrapper { name: "watch", takes: &["-n", "--interval"], inner: Inner::Text, effect: MASKS, ..PLAIN },
    Wrapper {
        name: "strace",
        takes: &["-e", "-o", "-s", "-u", "-E", "-a", "-O", "-S", "-b", "-I", "-P", "-X"],
        unless: &["-p", "--attach", "--help", "--version", "-V", "-h"],
        talks: u32::MAX,
        ..PLAIN
    },
    Wrapper {
        name: "ltrace",
        takes: &["-e", "-o", "-s", "-u", "-a", "-n", "-l"],
        unless: &["-p"],
        talks: u32::MAX,
        ..PLAIN
    },
    Wrapper { name: "unbuffer", effect: MASKS, ..PLAIN },
    Wrapper { name: "xvfb-run", takes: &["-n", "-s", "-f", "-e", "--server-args", "--server-num", "-w"], ..TRIER },
    Wrapper { name: "dbus-run-session", ..TRIER },
    Wrapper {
        name: "systemd-run",
        takes: &["-p", "--property", "--unit", "-u", "-E", "--setenv", "-M"],
        effect: MASKS,
        ..PLAIN
    },
    Wrapper { name: "faketime", operands: 1, takes: &["-f"], ..PLAIN },
    Wrapper {
        name: "script",
        inner: Inner::TextOption { option: "-c", or_program: false },
        takes: &["-E", "-I", "-O", "-B", "-T", "-m", "-o"],
        effect: MASKS,
        ..PLAIN
    },
    // Python's
    Wrapper {
        name: "python",
        takes: &["-X", "-W", "--check-hash-based-pycs"],
        inner: Inner::Module { option: "-m", or_program: false },
        unless: &["-c", "-V", "--version", "-h", "--help"],
        ..PLAIN
    },
    Wrapper {
        name: "coverage",
        then: &["run"],
        takes: &["--source", "--omit", "--include", "--rcfile", "--concurrency", "--context", "--data-file"],
        inner: Inner::Module { option: "-m", or_program: false },
        ..PLAIN
    },
    UV_RUN,
    Wrapper { then: &["tool", "run"], inner: Inner::Program, takes: &["--from", "--with", "-p", "--python"], ..UV_RUN },
    Wrapper { name: "uvx", takes: &["--from", "--with", "-p", "--python", "--index"], ..PACKAGES },
    Wrapper { name: "pipx", then: &["run"], takes: &["--spec", "--python", "--pip-args"], ..PACKAGES },
    Wrapper { name: "poetry", then: &["run"], takes: &["-C", "--directory", "-P", "--project"], ..PACKAGES },
    Wrapper { name: "pipenv", then: &["run"], ..PACKAGES },
    Wrapper { name: "hatch", then: &["run"], takes: &["-e", "--env", "-p", "--project"], ..SCRIPTS },
    Wrapper { name: "pdm", then: &["run"], takes: &["-p", "--project", "-e", "--env"], ..SCRIPTS },
    Wrapper { name: "rye", then: &["run"], takes: &["-p", "--pyproject"], ..SCRIPTS },
    Wrapper { name: "pixi", then: &["run"], takes: &["-e", "--environment", "--manifest-path"], ..SCRIPTS },
    Wrapper { name: "conda", then: &["run"], takes: &["-n", "--name", "-p", "--prefix", "--cwd"], ..PACKAGES },
    Wrapper { name: "mamba", then: &["run"], takes: &["-n", "--name", "-p", "--prefix"], ..PACKAGES },
    Wrapper { name: "micromamba", then: &["run"], takes: &["-n", "--name", "-p", "--prefix"], ..PACKAGES },
    // JavaScript's
    Wrapper {
        name: "npx",
        takes: &["-p", "--package", "-w", "--workspace"],
        inner: Inner::TextOption { option: "-c", or_program: true },
        ..PACKAGES
    },
    Wrapper {
        name: "npm",
        then: &["exec"],
        takes: &["-p", "--package", "-w", "--workspace"],
        unless: &["-c", "--call"],
        ..PACKAGES
    },
    Wrapper {
        name: "npm",
        then: &["x"],
        takes: &["-p", "--package", "-w", "--workspace"],
        unless: &["-c", "--call"],
        ..PACKAGES
    },
    Wrapper { name: "pnpm", then: &["exec"], takes: PNPM, unless: &["-c", "-r"], ..PACKAGES },
    Wrapper { name: "pnpm", then: &["dlx"], takes: &["--package"], unless: &["-c"], ..PACKAGES },
    Wrapper { name: "pnpx", takes: &["--package"], unless: &["-c"], ..PACKAGES },
    Wrapper { name: "pnpm", then: &["run"], takes: PNPM, unless: &["-r", "--recursive"], ..SCRIPTS },
    Wrapper { name: "pnpm", takes: PNPM, unless: &["-r", "--recursive"], ..SCRIPTS },
    Wrapper { name: "yarn", then: &["exec"], ..PACKAGES },
    Wrapper { name: "yarn", then: &["dlx"], takes: &["-p", "--package"], ..PACKAGES },
    Wrapper { name: "yarn", then: &["run"], takes: &["--cwd"], ..SCRIPTS },
    Wrapper { name: "yarn", takes: &["--cwd"], ..SCRIPTS },
    Wrapper { name: "bunx", takes: &["-p", "--package"], ..PACKAGES },
    Wrapper { name: "bun", then: &["x"], takes: &["-p", "--package"], ..PACKAGES },
    Wrapper { name: "bun", then: &["run"], takes: &["--cwd", "--filter"], ..SCRIPTS },
    Wrapper { name: "cross-env", assigns: true, ..PLAIN },
    // Ruby's
    Wrapper { name: "bundle", then: &["exec"], ..PACKAGES },
    Wrapper { name: "rbenv", then: &["exec"], ..PACKAGES },
    Wrapper { name: "asdf", then: &["exec"], ..PACKAGES },
    // Toolchains
    Wrapper { name: "rustup", then: &["run"], operands: 1, ..TRIER },
    Wrapper { name: "xcrun", takes: &["--sdk", "--toolchain"], ..TRIER },
    // Environments
    Wrapper { name: "direnv", then: &["exec"], operands: 1, ..TRIER },
    Wrapper { name: "nix", then: &["develop"], after: &["-c", "--command"], ..TRIER },
    Wrapper { name: "nix", then: &["shell"], after: &["-c", "--command"], ..TRIER },
    Wrapper {
        name: "nix-shell",
        inner: Inner::TextOption { option: "--run", or_program: false },
        takes: &["-p", "-A", "-I"],
        ..TRIER
    },
    Wrapper { name: "mise", then: &["exec"], after: &["--"], ..TRIER },
    Wrapper { name: "mise", then: &["x"], after: &["--"], ..TRIER },
    Wrapper { name: "devbox", then: &["run"], after: &["--"], ..TRIER },
    Wrapper { name: "flox", then: &["activate"], after: &["--"], ..TRIER },
    Wrapper { name: "doppler", then: &["run"], after: &["--"], ..TRIER },
    Wrapper { name: "op", then: &["run"], after: &["--"], ..TRIER },
    Wrapper { name: "infisical", then: &["run"], after: &["--"], ..TRIER },
    Wrapper { name: "aws-vault", then: &["exec"], after: &["--"], ..TRIER },
    Wrapper { name: "dotenvx", then: &["run"], after: &["--"], ..TRIER },
    Wrapper { name: "dotenv", takes: &["-e", "-p", "-f", "-v"], ..TRIER },
    Wrapper { name: "env-cmd", takes: &["-f", "-e", "-r"], ..TRIER },
    // Elsewhere
    DOCKER_EXEC,
    DOCKER_RUN,
    COMPOSE_EXEC,
    COMPOSE_RUN,
    Wrapper { name: "docker-compose", then: &["exec"], ..COMPOSE_EXEC },
    Wrapper { name: "docker-compose", then: &["run"], ..COMPOSE_RUN },
    Wrapper { name: "podman", ..DOCKER_EXEC },
    Wrapper { name: "podman", ..DOCKER_RUN },
    Wrapper { name: "nerdctl", ..DOCKER_EXEC },
    Wrapper { name: "nerdctl", ..DOCKER_RUN },
    Wrapper { name: "podman-compose", then: &["exec"], ..COMPOSE_EXEC },
    Wrapper {
        name: "kubectl",
        then: &["exec"],
        takes: &["-n", "--namespace", "-c", "--container", "--context", "--kubeconfig", "-f", "--filename"],
        after: &["--"],
        codes: &[],
        ..FAR
    },
    Wrapper {
        name: "ssh",
        takes: &[
            "-i", "-p", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-E", "-c", "-m", "-b", "-e", "-I", "-O", "-Q", "-S",
            "-W", "-w", "-B",
        ],
        inner: Inner::Text,
        detaches: &["-f"],
        codes: &[255],
        ..FAR
    },
];

const PNPM: &[&str] = &["-C", "--dir", "--filter", "-F"];
