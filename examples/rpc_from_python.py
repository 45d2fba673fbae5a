#!/usr/bin/env python3
"""Drives deed from Python, with nothing but the standard library.

    python3 rpc_from_python.py "what does a.txt say?"
    python3 rpc_from_python.py --yes "make b.txt" -- --model anthropic/claude-haiku-4-5

What stands behind `--` goes to deed. The answer is printed as it comes. When a call needs approval
the question is printed and answered from the terminal, or with yes if `--yes` is given.
"""

import argparse
import hashlib
import json
import subprocess
import sys


class Deed:
    """A `deed --mode rpc` and the lines to and from it."""

    def __init__(self, program, options):
        command = [program, "--mode", "rpc", *options]
        # Bytes, not text: only LF ends a line, and text mode would split at other characters too.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def send(self, **record):
        self.process.stdin.write(json.dumps(record).encode() + b"\n")
        self.process.stdin.flush()

    def records(self):
        for line in self.process.stdout:
            yield json.loads(line)

    def end(self):
        """Closes the input, which ends deed in order, and returns its exit code."""
        self.process.stdin.close()
        for _ in self.records():
            pass
        return self.process.wait()


def answer(deed, question, always_yes):
    """Answers a question; one that is an approval has hashes of what will run."""
    if question["method"] != "select" or "displaySha256" not in question:
        if question["method"] in ("select", "confirm", "input", "editor"):
            deed.send(type="extension_ui_response", id=question["id"], cancelled=True)
        return
    print(f"\n{question['title']}", file=sys.stderr)
    if always_yes:
        choice = "once"
    else:
        for number, option in enumerate(question["options"], 1):
            print(f"  {number}  {option}", file=sys.stderr)
        typed = sys.stdin.readline().strip()
        numbers = {str(at): word for at, word in enumerate(question["choices"], 1)}
        choice = numbers.get(typed, "deny")
    # The hash of what was shown: deed refuses the call if it is about something else.
    shown = hashlib.sha256(question["text"].encode()).hexdigest()
    deed.send(
        type="extension_ui_response",
        id=question["id"],
        value=choice,
        displaySha256=shown,
    )


def run(deed, prompt, always_yes):
    """Prompts and prints until all is over; returns what went wrong, if anything did."""
    deed.send(id="prompt", type="prompt", message=prompt)
    error = None
    for record in deed.records():
        kind = record["type"]
        if kind == "message_update":
            update = record["assistantMessageEvent"]
            if update["type"] == "text_delta":
                print(update["delta"], end="", flush=True)
        elif kind == "message_end" and record["message"]["role"] == "assistant":
            error = record["message"].get("errorMessage")
            print()
        elif kind == "extension_ui_request":
            answer(deed, record, always_yes)
        elif kind == "response" and not record["success"]:
            return record["error"]
        elif kind == "agent_settled":
            return error
    return "deed ended early"


def main():
    arguments = argparse.ArgumentParser(description="Prompts deed over its RPC mode.")
    arguments.add_argument("--deed", default="deed", help="the program to start")
    arguments.add_argument("--yes", action="store_true", help="approve every call")
    arguments.add_argument("prompt", help="what to do")
    arguments.add_argument("options", nargs="*", help="options of deed, behind --")
    given = arguments.parse_args()
    deed = Deed(given.deed, given.options)
    error = run(deed, given.prompt, given.yes)
    code = deed.end()
    if error:
        print(f"error: {error}", file=sys.stderr)
    return 1 if error else code


if __name__ == "__main__":
    sys.exit(main())
