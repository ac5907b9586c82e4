//! Programs that run programs.

use super::{only, script};

#[test]
fn wrappers_are_taken_off() {
    let rows = [
        ("timeout 60 F -x", "timeout", "F -x"),
        ("timeout -k 5 -s KILL 60 F", "timeout", "F"),
        ("timeout --kill-after=5 60 F", "timeout", "F"),
        ("env -i -u X A=1 F", "env", "F"),
        ("time -p F", "time", "F"),
        ("/usr/bin/time -v F", "time", "F"),
        ("nice -n 10 F", "nice", "F"),
        ("ionice -c 3 F", "ionice", "F"),
        ("stdbuf -oL -eL F", "stdbuf", "F"),
        ("nohup F", "nohup", "F"),
        ("setsid -w F", "setsid", "F"),
        ("sudo -n -u dev A=1 F", "sudo", "F"),
        ("sudo -nu dev F", "sudo", "F"),
        ("doas F", "doas", "F"),
        ("command F", "command", "F"),
        ("exec F", "exec", "F"),
        ("unbuffer F", "unbuffer", "F"),
        ("strace -f -o log F", "strace", "F"),
        ("xvfb-run -a F", "xvfb-run", "F"),
        ("flock /tmp/lock F", "flock", "F"),
        ("flock /tmp/lock -c 'F -y'", "flock -c", "F -y"),
        ("script -qec 'F -x' /dev/null", "script -qec", "F -x"),
        ("su dev -c 'F'", "su -c", "F"),
        ("ls | xargs -0 -n1 -I{} F a {}", "xargs", "F a {}"),
        ("find . -type f -exec F -q {} +", "find -exec", "F -q {}"),
        ("bash -c 'F x'", "bash -c", "F x"),
        ("sh -ec F", "sh -ec", "F"),
        ("zsh -lc 'F'", "zsh -lc", "F"),
        ("bash -o pipefail -c 'F'", "bash -c", "F"),
        ("bash F.sh -x", "bash", "F.sh -x"),
        ("bash -s <<'A'\nF\nA", "bash", "F"),
        ("npx F --ci", "npx", "F --ci"),
        ("npx --yes -p F@29 F@29 --ci", "npx", "F@29 --ci"),
        ("npm exec -- F", "npm exec", "F"),
        ("pnpm exec F", "pnpm exec", "F"),
        ("pnpm dlx F", "pnpm dlx", "F"),
        ("yarn dlx F", "yarn dlx", "F"),
        ("bunx F", "bunx", "F"),
        ("bun x F", "bun x", "F"),
        ("uv run F", "uv run", "F"),
        ("uv run --with x -p 3.12 --frozen F -k 'a b'", "uv run", "F -k a b"),
        ("uv run -m F", "uv run -m", "F"),
        ("uvx F", "uvx", "F"),
        ("poetry run F", "poetry run", "F"),
        ("pipenv run F", "pipenv run", "F"),
        ("pipx run F", "pipx run", "F"),
        ("conda run -n env F", "conda run", "F"),
        ("python -m F -q", "python -m", "F -q"),
        ("python3.12 -I -X dev -W error -m F", "python -m", "F"),
        (".venv/bin/python -mF", "python -m", "F"),
        ("python -um F", "python -m", "F"),
        ("coverage run --source x -m F", "coverage run -m", "F"),
        ("bundle exec F", "bundle exec", "F"),
        ("direnv exec . F", "direnv exec", "F"),
        ("nix develop .#ci -c F", "nix develop", "F"),
        ("mise exec node@20 -- F", "mise exec", "F"),
        ("doppler run --project x -- F", "doppler run", "F"),
        ("op run --env-file=.env -- F", "op run", "F"),
        ("dotenv -e .env -- F", "dotenv", "F"),
        ("cross-env A=1 B=2 F", "cross-env", "F"),
        ("docker exec -it api F", "docker exec", "F"),
        ("docker run --rm -v \"$PWD\":/app -w /app node:20 F", "docker run", "F"),
        ("docker compose -f x.yml exec -T api F", "docker compose exec", "F"),
        ("docker compose run --rm api F", "docker compose run", "F"),
        ("docker-compose exec api F", "docker-compose exec", "F"),
        ("podman run --rm image F", "podman run", "F"),
        ("kubectl exec -n x -it deploy/api -c app -- F", "kubectl exec", "F"),
        ("ssh -p 22 host F -x", "ssh", "F -x"),
        ("ssh host <<'A'\nF\nA", "ssh", "F"),
    ];
    for (line, via, text) in rows {
        let all = script(line);
        let f = all.iter().find(|invocation| invocation.text == text).unwrap_or_else(|| panic!("{line}: {all:?}"));
        assert_eq!(f.via, [via], "{line}");
    }
}

#[test]
fn wrappers_in_wrappers_are_listed_from_the_outside() {
    let via = |line: &str| only(line, "pytest").via;
    assert_eq!(
        via("sudo timeout 5 bash -lc 'poetry run python -m pytest'"),
        ["sudo", "timeout", "bash -lc", "poetry run", "python -m"]
    );
    assert_eq!(via("python -m coverage run -m pytest"), ["python -m", "coverage run -m"]);
    assert_eq!(via("docker exec api sh -c 'cd /app && uv run pytest -q'"), ["docker exec", "sh -c", "uv run"]);
    assert_eq!(via("time nice pytest"), ["time", "nice"]);
}

#[test]
fn what_runs_elsewhere_is_said_to() {
    let place = |line: &str| only(line, "F").elsewhere;
    assert_eq!(place("ssh -i key dev@build-host 'cd x; F'").as_deref(), Some("ssh dev@build-host"));
    assert_eq!(place("docker exec -e A=1 api F").as_deref(), Some("docker exec api"));
    assert_eq!(place("docker compose exec api bash -c F").as_deref(), Some("docker compose exec api"));
    assert_eq!(place("docker run -e A -p 80:80 node:20 F").as_deref(), Some("docker run node:20"));
    assert_eq!(place("kubectl exec api -- F").as_deref(), Some("kubectl exec api"));
    assert_eq!(place("sudo F"), None);
}

#[test]
fn tools_are_known_behind_runners_of_scripts_and_scripts_are_left_alone() {
    for line in [
        "pnpm vitest",
        "yarn jest",
        "yarn run jest",
        "bun run vitest",
        "pdm run pytest",
        "hatch run pytest",
        "rye run pytest",
        "pnpm --filter web exec tsc",
    ] {
        assert!(!script(line)[0].via.is_empty(), "{line}");
    }
    for line in [
        "pnpm test",
        "yarn test",
        "npm test",
        "npm run lint",
        "bun run test",
        "bun test",
        "make test",
        "just test",
        "pdm run test",
        "hatch run test",
    ] {
        let all = script(line);
        assert!(all.len() == 1 && all[0].via.is_empty() && all[0].text == line, "{line}");
    }
}

#[test]
fn a_wrapper_without_a_program_is_a_program() {
    let lines = [
        "env",
        "timeout --help",
        "docker run image",
        "docker run --entrypoint F image x",
        "ssh host",
        "xargs",
        "command -v F",
        "sudo -l",
        "npx --version",
        "python -c 'F'",
        "python F.py",
        "bash --version",
        "bash -n F.sh",
        "coverage run F.py",
        "docker exec",
        "nix develop",
        "kubectl exec api F",
        "find . -name F",
        "bash -c \"$F\"",
        "ssh host \"cd $D; F\"",
        "bash",
        "cat x | bash",
        "uv run",
        "watch",
    ];
    for line in lines {
        let all = script(line);
        let last = all.last().unwrap();
        assert!(last.via.is_empty() && last.program != "F", "{line}: {last:?}");
    }
}

#[test]
fn programs_are_named_by_their_base_name() {
    let rows = [
        ("./node_modules/.bin/jest", "jest"),
        ("\"$VENV/bin/pytest\" -q", "pytest"),
        ("$(npm bin)/jest", "jest"),
        ("PY=.venv/bin/python; $PY -m pytest", "pytest"),
        ("\\ls", "ls"),
        ("'my tool' x", "my tool"),
        ("npx vitest@4.0.1 run", "vitest"),
        ("npx @biomejs/biome check", "biome"),
        ("$CMD x", "$CMD"),
        ("cargo.exe test", "cargo"),
    ];
    for (line, program) in rows {
        assert_eq!(script(line).last().unwrap().program, program, "{line}");
    }
}
