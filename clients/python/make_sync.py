"""Makes `lastro._sync` of `lastro._async`, so that there is one source of both.

python make_sync.py            writes the files
python make_sync.py --check    fails if they are not up to date
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "src" / "lastro"
HEADER = "# Made by make_sync.py of the file of the same name in `_async`. Do not edit.\n"
WORDS = [
    (r"\basync def\b", "def"),
    (r"\basync (for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAwaitable\[(\w+)\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\basync_sleep\b", "sleep"),
    (r"\b__a(iter|next|enter|exit)__\b", r"__\1__"),
    (r"\ba(close|read|iter_bytes)\b", r"\1"),
    (r"\b_async\b", "_sync"),
    (r"\b(_?)Async(\w+)", r"\1\2"),
    (r"The client that is awaited. `make_sync.py` makes `lastro._sync` of it.", "The client that waits."),
]


def made_of(source: str) -> str:
    """The source without its waiting words."""
    for pattern, replacement in WORDS:
        source = re.sub(pattern, replacement, source)
    return HEADER + source


def main() -> int:
    stale = []
    for path in sorted((HERE / "_async").glob("*.py")):
        target, text = HERE / "_sync" / path.name, made_of(path.read_text())
        if target.exists() and target.read_text() == text:
            continue
        stale.append(target.name)
        if "--check" not in sys.argv:
            target.parent.mkdir(exist_ok=True)
            target.write_text(text)
    if stale and "--check" in sys.argv:
        print("run make_sync.py:", ", ".join(stale))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
