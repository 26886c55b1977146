"""`python -m bench NAME [options]`: runs one benchmark."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

BENCHES = {name: f"bench.{name}" for name in ("detectors", "money", "cache", "pages", "engine")}
"""Name to module; each has `main(arguments) -> exit code`."""


def main(arguments: Sequence[str]) -> int:
    """Run the named benchmark; 2 for a name that is none."""
    if not arguments or arguments[0] not in BENCHES:
        print(f"usage: python -m bench {{{'|'.join(BENCHES)}}} [options]", file=sys.stderr)
        return 2
    run = cast(Callable[[Sequence[str]], int], import_module(BENCHES[arguments[0]]).main)
    return run(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
