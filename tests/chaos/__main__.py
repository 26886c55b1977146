"""`python -m tests.chaos --kills 200 --debates 20 [--postgres]`: the torture at full size, with its account."""

import argparse
import os
import sys
import tempfile

from tests import postgres
from tests.chaos.harness import torture


def main() -> int:
    """Run it; 0 when every bar is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--debates", type=int, default=20)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, with two workers")
    parser.add_argument("--latency", type=float, default=1.5, help="seconds a call takes")
    parser.add_argument("--longest", type=float, default=5.0, help="seconds a worker lives at most")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    server = None
    with tempfile.TemporaryDirectory(prefix="vada-chaos-") as home:
        os.environ["VADA_HOME"] = home
        if args.postgres:
            found = postgres.binaries()
            if found is None:
                print("PostgreSQL's initdb and pg_ctl are not installed", file=sys.stderr)
                return 2
            server = postgres.Server(found)
            os.environ["VADA_DATABASE_URL"] = server.database()
        try:
            account = torture(
                kills=args.kills,
                debates=args.debates,
                workers=2 if args.postgres else 1,
                latency=args.latency,
                longest=args.longest,
                seed=args.seed,
            )
        finally:
            if server is not None:
                server.stop()
    print(account)
    return 0 if account.good else 1


if __name__ == "__main__":
    sys.exit(main())
