"""Which commands run without asking: common tools that build, check and test, and no shell around them."""

import re
import shlex

from activities.execution_orders import CommandRules

DEFAULT = (
    *("pytest *", "python -m pytest *", "python3 -m pytest *"),
    *("python -m unittest *", "python3 -m unittest *", "python -m compileall *", "python3 -m compileall *"),
    *(
        "ruff check *",
        "ruff format *",
        "mypy *",
        "pyright *",
        "flake8 *",
        "black --check *",
        "nox *",
        "tox *",
    ),
    *("make", "make test", "make check", "make lint", "make build", "make all", "ctest *"),
    *("npm test", "npm run test", "npm run lint", "npm run build", "npm run typecheck"),
    *("yarn test", "yarn lint", "yarn build", "pnpm test", "pnpm lint", "pnpm build"),
    *("jest *", "vitest run *", "tsc *", "eslint *", "prettier --check *"),
    *("go test *", "go build *", "go vet *", "gofmt *"),
    *("cargo test *", "cargo check *", "cargo build *", "cargo clippy *", "cargo fmt *"),
    *("mvn test", "mvn verify", "mvn compile", "gradle test", "gradle check", "gradle build"),
    *("git status *", "git diff *", "git log *", "ls *", "cat *", "wc *", "diff *"),
    *("echo *", "true", "false", "sleep *", "exit *", "test *", "pwd"),
)
"""patterns of words; a trailing `*` stands for any further words"""

# Whatever makes the shell do more than start one program with these words, unless it is quoted.
_SHELL = re.compile(r"[;&|<>()$`\\{}\n\r\0]")
# A whole command in which all of that is plain text to /bin/sh. Read from its start, as single quotes within
# double quotes are no quotes. Line ends are not taken in quotes either: people read commands line by line.
_QUOTED = re.compile(r"""(?:[^'";&|<>()$`\\{}\n\r\0]|'[^'\n\r\0]*'|"[^"$`\\\n\r\0]*")*""")
# What reads words with a shell of its own, to which our quotes are gone.
_SHELLS = re.compile(r"(?<![\w.-])(?:(?:[ackz]|r?ba|da|fi|mk|pdk|pw|tc|xon)?sh|eval)(?![\w-])")
_RUNNERS = re.compile(
    r"(?:.*/)?(?:git|g?make|just|task|npm|npx|pnpm|yarn|ssh|su|script|flock|watch|parallel|entr|hyperfine"
    r"|concurrently|nodemon|tmux|screen|trap|docker|podman|tar|rsync|vim?|ex|ed)"
)
_PATTERN = re.compile(r"[*?\[]")
_BETWEEN_PATHS = re.compile(r"[^\w./~*?\[\]=:,-]+")
_DESTRUCTIVE = tuple(
    (re.compile(pattern, re.I), what)
    for pattern, what in (
        (r"\brm\s+(-\S+\s+)*-\w*r|\brm\s+.*--recursive", "removes folders"),
        (r"\b(sudo|doas|su|pkexec)\b", "asks for another user's rights"),
        (r"\bgit\s+(\S+\s+)*(push|filter-branch|update-ref)\b", "changes what others see of the repository"),
        (
            r"\bgit\s+(\S+\s+)*(reset\s+--hard|clean\s+-|checkout\s+(--|\.)|stash|branch\s+-D)",
            "discards work",
        ),
        (r"\b(curl|wget|fetch)\b.*\|\s*(\w*/)*(ba|z|da|k)?sh\b", "runs what it downloads"),
        (r"\b(mkfs\S*|fdisk|parted|shred|wipefs)\b|\bdd\b.*\bof=", "writes to disks"),
        (r">\s*/dev/(sd|nvme|vd|mapper)", "writes to disks"),
        (r"\b(shutdown|reboot|halt|poweroff)\b|\binit\s+[06]\b", "stops the machine"),
        (r"\b(killall|pkill)\b|\bkill\s+(-\S+\s+)*-1\b", "ends other programs"),
        (r"\bch(mod|own)\s+(-\S+\s+)*-\w*R", "changes rights of whole folders"),
        (r":\s*\(\s*\)\s*\{", "starts itself without end"),
        (r"\bfind\b.*\s-(delete|exec)", "changes every file that it finds"),
        (r"\b(npm|yarn|pnpm|cargo|poetry|flit|uv|gem)\s+publish\b|\btwine\s+upload\b", "publishes"),
        (r"\b(docker|podman)\s+(push|system\s+prune|rm|run)\b", "reaches other containers"),
        (r"\b(kubectl|helm|terraform|pulumi|aws|gcloud|az)\s+(\S+\s+)*(delete|destroy|apply|rm)", "deploys"),
        (r"\bdrop\s+(table|database|schema)\b|\btruncate\s+table\b", "deletes data"),
    )
)


def why_ask(command: str, rules: CommandRules, *, confined: bool) -> str:
    """Why a person has to allow a command; blank when it may run. What a person has allowed may always."""
    if command in rules.approved:
        return ""
    words = _words(command)
    # As it is written, and as a shell takes it: `git 'push'` pushes.
    texts = (command, " ".join(words or ()))
    for pattern, what in _DESTRUCTIVE:
        if any(pattern.search(text) for text in texts):
            return f"it {what}"
    if _SHELL.search(command) and not (words and _is_quoted(command, words)):
        return "it uses the shell, so that not one known program is started"
    if words is None:
        return "its quotes do not match"
    if not words:
        return "it is empty"
    if not any(_matches(words, pattern.split()) for pattern in (*DEFAULT, *rules.allow)):
        return "it is not on the list of allowed commands"
    leads_out = next((word for word in words[1:] if _leads_out(word)), "")
    if leads_out:
        return f"{leads_out} may lie outside of the worktree"
    bare = rules.sandbox and not confined
    return "this machine offers no sandbox for it; see `phasegate doctor`" if bare else ""


def _words(command: str) -> list[str] | None:
    """The words of a command without their quotes; None where those do not match."""
    try:
        return shlex.split(command)
    except ValueError:
        return None


def _is_quoted(command: str, words: list[str]) -> bool:
    """Whether quotes make plain text of all that means something to a shell: to the one that starts the
    program, and to any that the program may start for its words."""
    return bool(_QUOTED.fullmatch(command)) and not any(
        _SHELLS.search(word) or _RUNNERS.fullmatch(word) for word in words
    )


def _matches(words: list[str], pattern: list[str]) -> bool:
    if pattern[-1:] == ["*"]:
        return words[: len(pattern) - 1] == pattern[:-1]
    return words == pattern


def _leads_out(word: str) -> bool:
    """Whether a word, or what stands in it behind `=`, `:`, `,` or an option's letter, is a path out of the
    folder. A word with quoted shell characters is code or a pattern: there a path may stand anywhere."""
    parts = _BETWEEN_PATHS.split(word) if _SHELL.search(word) else [word]
    values = [value for part in parts for value in re.split("[=:,]", re.sub(r"^-\w(?=[/~.])", "", part))]
    return any(value.startswith(("/", "~")) or _climbs(value) for value in values)


def _climbs(path: str) -> bool:
    """Whether a path names the folder above, or may once a shell has filled in its pattern, as `.?` does."""
    return any(part == ".." or (part.startswith(".") and _PATTERN.search(part)) for part in path.split("/"))
