"""What the agent is told about its tools."""

from typing import Any

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 1}


def described(kind: dict[str, Any], words: str) -> dict[str, Any]:
    return kind | {"description": words}


TOOLS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "shell": (
        "Run a shell command in the project folder. Gives all output, and the exit code if not 0.",
        {
            "command": described(TEXT, "The command, for /bin/sh."),
            "timeout": described(COUNT, "Seconds after which it is stopped; 30 if left out."),
        },
        ["command"],
    ),
    "read_file": (
        "Read a text file. Lines are numbered.",
        {
            "path": described(TEXT, "Path from the project folder."),
            "offset": described(COUNT, "First line; 1 if left out."),
            "limit": described(COUNT, "How many lines; 2000 if left out."),
        },
        ["path"],
    ),
    "search": (
        "Find lines that match a regular expression. Gives path, line number and line.",
        {
            "pattern": described(TEXT, "A Python regular expression."),
            "path": described(TEXT, "File or folder to look in; the whole project if left out."),
        },
        ["pattern"],
    ),
    "edit_file": (
        "Replace a text that occurs exactly once in a file. An empty `old` makes a new file.",
        {
            "path": described(TEXT, "Path from the project folder."),
            "old": described(TEXT, "The text to replace, with enough lines to be unique."),
            "new": described(TEXT, "The text to put in its place."),
        },
        ["path", "old", "new"],
    ),
    "run_tests": (
        "Run the unit tests and show the outcome of each.",
        {"name": described(TEXT, "One module or test, such as tests.test_money; all if left out.")},
        [],
    ),
}


def parameters(name: str) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    _, properties, required = TOOLS[name]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def openai_tools() -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": name, "description": words, "parameters": parameters(name)},
        }
        for name, (words, _, _) in TOOLS.items()
    ]


def anthropic_tools() -> list[dict[str, Any]]:
    return [
        {"name": name, "description": words, "input_schema": parameters(name)}
        for name, (words, _, _) in TOOLS.items()
    ]
