//! What a command line checks: the whole, a part, or nothing.

use deeds::records::runners::{Check, Recognised, Scope, recognise};

use super::bare;

fn scope_of(command: &str) -> (String, Scope) {
    let found = recognise(&bare(command));
    let Recognised { runner, scope, .. } = found.into_iter().next().unwrap_or_else(|| panic!("{command} is no check"));
    (runner.to_owned(), scope)
}

#[test]
fn full_runs_are_full() {
    for command in [
        "cargo test",
        "cargo t --workspace --all-features --release -q",
        "cargo +nightly test --locked -- --nocapture --test-threads=1",
        "cargo test --features a,b --no-default-features -j 4",
        "cargo --color never test -- --include-ignored",
        "cargo nextest run --all-targets --no-fail-fast --retries 2",
        "pytest",
        "pytest -q -x --tb short -n 4 tests",
        "pytest . -vv -p no:cacheprovider --maxfail 1",
        "pytest ./tests/ --cov=src",
        "jest --ci --coverage --maxWorkers 2",
        "vitest run --reporter verbose",
        "vitest",
        "mocha -R spec --timeout 5000 'test/**/*.js'",
        "node --test --test-reporter spec",
        "go test ./...",
        "go test -v -race -count=1 -timeout 60s ./...",
        "go test",
        "unittest discover -s tests -p 'test_*.py'",
        "rspec --format documentation spec",
        "bats tests/*.bats",
        "ctest --test-dir b -j 8 --output-on-failure",
        "mvn -B -q verify",
        "gradlew test --console plain",
        "dotnet test -c Release --no-build",
        "swift test -c release",
        "phpunit --colors never -c phpunit.xml tests",
        "npm test",
        "npm --prefix web test",
        "npm run test:ci -- --reporter verbose",
        "pnpm -r test",
        "yarn test",
        "make -j 8 test",
        "make check",
        "just test",
        "tox -e py312",
        "nox -s tests",
        "python manage.py test",
        "eslint .",
        "eslint src --max-warnings 0",
        "ruff check --fix .",
        "mypy src",
        "tsc --noEmit -p tsconfig.json",
        "cargo clippy --all-targets -- -D warnings",
        "prettier --check .",
    ] {
        assert_eq!(scope_of(command).1, Scope::Full, "{command}");
    }
}

#[test]
fn what_narrows_is_named_as_typed() {
    for (command, what) in [
        ("cargo test parse", "parse"),
        ("cargo test --lib", "--lib"),
        ("cargo test --test it -- runners", "--test it runners"),
        ("cargo test -p core", "-p core"),
        ("cargo test --package=core", "--package=core"),
        ("cargo test --doc", "--doc"),
        ("cargo test --workspace --exclude slow", "--exclude slow"),
        ("cargo test -- --skip slow", "--skip slow"),
        ("cargo nextest run -E 'test(parse)'", "-E test(parse)"),
        ("pytest tests/test_a.py::test_b", "tests/test_a.py::test_b"),
        ("pytest -k 'a and b'", "-k a and b"),
        ("pytest -kparse", "-kparse"),
        ("pytest -o addopts='-k one'", "addopts=-k one"),
        ("pytest --override-ini=addopts=-mslow", "addopts=-mslow"),
        ("pytest -m slow tests", "-m slow"),
        ("pytest --lf", "--lf"),
        ("pytest src/app", "src/app"),
        ("jest src/a.test.js -t adds", "src/a.test.js -t adds"),
        ("jest --onlyChanged", "--onlyChanged"),
        ("jest --shard=1/3", "--shard=1/3"),
        ("vitest run src/a.test.ts", "src/a.test.ts"),
        ("vitest related src/a.ts", "related src/a.ts"),
        ("mocha --grep adds", "--grep adds"),
        ("node --test a.test.js", "a.test.js"),
        ("go test ./pkg/...", "./pkg/..."),
        ("go test -run TestA ./...", "-run TestA"),
        ("go test -run=TestA", "-run=TestA"),
        ("rspec spec/a_spec.rb:12", "spec/a_spec.rb:12"),
        ("ctest -R adds", "-R adds"),
        ("mvn test -Dtest=ATest", "-Dtest=ATest"),
        ("mvn -pl core test", "-pl core"),
        ("gradle test --tests A", "--tests A"),
        ("gradle :app:test", ":app:test"),
        ("dotnet test --filter A", "--filter A"),
        ("swift test --filter A", "--filter A"),
        ("phpunit --filter testA", "--filter testA"),
        ("npm test -- src/a.test.js", "src/a.test.js"),
        ("npm test -- -t adds", "-t adds"),
        ("npm test -w core", "-w core"),
        ("npm run test:unit", "test:unit"),
        ("pnpm --filter core test", "--filter core"),
        ("yarn workspace core test", "workspace core"),
        ("make test TESTS=tests/a.py", "TESTS=tests/a.py"),
        ("tox -e py312 -- -k parse", "-k parse"),
        ("python manage.py test app.tests", "app.tests"),
        ("eslint src/a.ts", "src/a.ts"),
        ("mypy src/a.py", "src/a.py"),
        ("ruff check src/a.py", "src/a.py"),
    ] {
        assert_eq!(scope_of(command).1, Scope::Filtered(what.to_owned()), "{command}");
    }
}

#[test]
fn what_checks_nothing_is_told_apart() {
    for command in [
        "cargo test --no-run",
        "cargo test -- --list",
        "cargo test --help",
        "pytest --collect-only -q",
        "pytest --version",
        "jest --listTests",
        "jest --watch",
        "vitest watch",
        "vitest list",
        "go test -list . ./...",
        "go test -c",
        "mocha --dry-run",
        "playwright test --list",
        "ctest -N",
        "dotnet test --list-tests",
        "make -n test",
        "tsc --init",
        "tsc -w",
        "rspec --dry-run",
    ] {
        let scope = scope_of(command).1;
        assert!(matches!(scope, Scope::ChecksNothing(_)), "{command}: {scope:?}");
    }
}

#[test]
fn what_is_no_check_is_none() {
    for command in [
        "cargo fmt",
        "cargo run --bin test",
        "cargo install cargo-nextest",
        "cargo nextest list",
        "cargo doc",
        "black .",
        "isort src",
        "prettier --write .",
        "ruff format",
        "ruff rule E501",
        "gofmt -w .",
        "rustfmt src/lib.rs",
        "npm install jest",
        "npm run dev",
        "npm run lint:fix",
        "npm run format",
        "npm start",
        "pnpm add -D vitest",
        "yarn add jest",
        "yarn install",
        "bun install",
        "bun run test.ts",
        "node test.js",
        "python test.py",
        "python manage.py migrate",
        "make clean",
        "make install",
        "cmake -B build",
        "go mod tidy",
        "go run ./cmd/test",
        "golangci-lint version",
        "playwright install",
        "dotnet run",
        "ninja clean",
        "test -f pytest",
        "which pytest",
        "ruby script.rb",
        "mvn clean",
        "gradle tasks",
        "php -v",
    ] {
        assert_eq!(recognise(&bare(command)), [], "{command}");
    }
}

#[test]
fn tools_are_named_as_their_fixtures_are() {
    for (command, runner, check) in [
        ("cargo nextest r", "nextest", Check::Tests),
        ("bundle exec rspec", "rspec", Check::Tests),
        ("yarn jest --ci", "jest", Check::Tests),
        ("pnpm vitest run", "vitest", Check::Tests),
        ("python3 -m pytest", "pytest", Check::Tests),
        ("bun test", "bun", Check::Tests),
        ("bun run test", "bun-run", Check::Tests),
        ("react-scripts test", "jest", Check::Tests),
        ("vue-tsc --noEmit", "vue-tsc", Check::Typecheck),
        ("tsc -b", "tsc", Check::Typecheck),
        ("biome ci .", "biome", Check::Lint),
        ("biome format .", "biome", Check::Format),
        ("go vet ./...", "go-vet", Check::Lint),
        ("gofmt -l .", "gofmt", Check::Format),
        ("cmake --build build", "cmake", Check::Build),
        ("make", "make", Check::Build),
        ("make lint", "make", Check::Lint),
        ("npm run build", "npm", Check::Build),
        ("npm run type-check", "npm", Check::Typecheck),
        ("rails test", "minitest", Check::Tests),
        ("php artisan test", "pest", Check::Tests),
        ("./vendor/bin/phpunit", "phpunit", Check::Tests),
        ("./gradlew check", "gradle", Check::Tests),
        ("manage.py test", "django", Check::Tests),
    ] {
        let found = recognise(&bare(command));
        assert!(found.iter().any(|r| (r.runner, r.check) == (runner, check)), "{command}: {found:?}");
    }
    assert_eq!(recognise(&bare("gradle build")).len(), 2, "it builds and tests");
}
