"""Run the server by hand: `python -m tests.fake_messages --port 8900 --latency 2 --seed 1`."""

import argparse
import time

from tests.fake_messages.server import Server


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.fake_messages", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds a reply takes")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with Server(port=given.port, latency=given.latency, seed=given.seed) as server:
        print(f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=any", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
