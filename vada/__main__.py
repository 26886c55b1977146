"""The command line: `vada`, also `python -m vada`. Without a command it serves the app; nothing else needs a browser.

Progress goes to stderr, results to stdout. Exit codes of a debate: 0 clean or revised, 3 unconverged, 4 waiting at a
gate, 5 stopped, 1 failed; 2 means that an option cannot be used.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vada import baseline as once
from vada import exports, failure_modes, probed, settings, worker
from vada.errors import InputError, SettingsError, VadaError
from vada.failure_modes import CUTOFFS, Calibration
from vada.failure_modes.cutoffs import CALIBRATED, cutoffs
from vada.models.debate import DebateConfig, Material, ModelRef, Seat, constraints_from
from vada.models.outputs import GateDecision, RenegotiationAnswer, Whisper
from vada.models.reports import ABILITIES, EndpointReport, ModelReport
from vada.models.run import Run
from vada.models.vocabulary import DEBATERS, DebateState, GateAction, GateMode, Role
from vada.places import shipped
from vada.prompts import PromptBook
from vada.settings import Settings
from vada.worker import Debates, progress
from vada.worker.debates import CALIBRATION

EXIT = {
    DebateState.CLEAN: 0,
    DebateState.REVISED: 0,
    DebateState.UNCONVERGED: 3,
    DebateState.WAITING: 4,
    DebateState.STOPPED: 5,
    DebateState.FAILED: 1,
}
SEVERITY = (
    DebateState.CLEAN,
    DebateState.REVISED,
    DebateState.UNCONVERGED,
    DebateState.WAITING,
    DebateState.STOPPED,
    DebateState.FAILED,
)
"""From the best to the worst; of several debates the worst gives the exit code."""

INTERRUPTED = 130
_BAD_OPTION = 2
_MOMENT = 0.1
_LOOK = 5.0  # seconds between two looks at whether anybody runs what is followed
_OPTIONS = {  # the field an InputError names, as the command line calls it
    "question": "QUESTION",
    "constraints": "--constraint",
    "material": "--material",
    "pack": "--pack",
    "model": "--model",
    "panel": "--panel",
    "bundle": "FILE",
    "format": "--format",
    "after_round": "--after",
    "action": "ACTION",
    "id": "ID",
    "lock": "--lock",
    "renegotiations": "--accept",
    "base_round": "--base-round",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    args = _parser().parse_args(argv)
    try:
        command: Callable[[argparse.Namespace, Settings], int] = args.command
        return command(args, settings.load())
    except InputError as error:
        print(f"vada: {_OPTIONS.get(error.field, error.field)}: {error}", file=sys.stderr)
        return _BAD_OPTION
    except VadaError as error:
        print(f"vada: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader of our output has gone
        return 0


# Serving.


def serve(args: argparse.Namespace, _: Settings) -> int:
    """Serve the app until interrupted. Streamlit finds its settings beside the app; the working folder stays."""
    command = [sys.executable, "-m", "streamlit", "run", str(shipped("app.py")), "--server.showEmailPrompt=false"]
    command += [f"--server.port={args.port}"] if args.port is not None else []
    command += [f"--server.address={args.host}"] if args.host else []
    if sys.platform != "win32":
        sys.stdout.flush()
        os.execv(command[0], command)  # signals reach the server itself
    return subprocess.call(command)


def work(args: argparse.Namespace, s: Settings) -> int:
    """Run debates until stopped, with no page."""
    engine = worker.start_engine(s.model_copy(update={"worker": True}))
    assert engine is not None
    if not engine.running:
        _say("Another process runs the debates of this folder; standing by.")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    _say(f"Running debates of {s.shown()['database_url']}")
    stop.wait()
    engine.stop()
    return 0


# Debating.


def run(args: argparse.Namespace, s: Settings) -> int:
    """Debate a question."""
    debates = Debates.open(s)
    config = config_of(args, probed.applied(s, debates.reports()))
    _not_gone(config, debates, s)
    for notice in settings.notices(config.seats):
        _say(notice)
    _make_ready(config, s)
    return _follow(debates, s, [debates.start(config)], args)


def _not_gone(config: DebateConfig, debates: Debates, s: Settings) -> None:
    """Raises InputError for a seat whose model its endpoint does not list; a kept list that says so is read anew."""
    reports, models = debates.reports(), dict.fromkeys(seat.model for seat in config.seats)
    for name in {m.endpoint for m in models if probed.nearest(m, reports) is not None}:
        from vada.llm import probe  # brings the model SDK, which is seldom needed before the engine is

        debates.keep_report(asyncio.run(probe.check(s, name)))
    for model in models:
        near = probed.nearest(model, debates.reports())
        if near is not None:
            said, step = probed.gone(model, near)
            raise InputError("model", said, next_step=step)


def _make_ready(config: DebateConfig, s: Settings) -> None:
    """Put together and check the weights of the model in this process before the debate, and say how far it is."""
    if s.local_model is None or all(seat.model.endpoint != settings.LOCAL for seat in config.seats):
        return
    from vada.llm.local import prepare

    quarters = 0

    def tell(done: float) -> None:
        nonlocal quarters
        if int(done * 4) > quarters:
            quarters = int(done * 4)
            _say(f"Weights of the local model: {25 * quarters} % read and checked")

    prepare(s.gguf, tell)


def resume(args: argparse.Namespace, s: Settings) -> int:
    """Go on with an interrupted or failed debate."""
    debates = Debates.open(s)
    state = debates.run(args.id).state
    if not state.ended or state is DebateState.FAILED:
        debates.resume(args.id)
    return _follow(debates, s, [args.id], args)


def gate(args: argparse.Namespace, s: Settings) -> int:
    """Decide the open gate of a debate, and go on in this process."""
    debates = Debates.open(s)
    last = debates.run(args.id).last
    if last is None or last.verdict is None:
        raise InputError("id", f"Debate {args.id} has not come to a gate.")
    decision = GateDecision(
        action=GateAction(args.action),
        recommended=last.verdict.recommendation,
        by=s.person or worker.LOCAL,
        at="",
        whispers=(Whisper(text=args.note, to=Role(args.to) if args.to else None),) if args.note else (),
        renegotiations=_answers(args, {r.id for r in last.synthesis.renegotiations} if last.synthesis else set()),
        base_round=args.base_round,
    )
    debates.decide(args.id, last.number, decision)
    children = debates.run(args.id).children if decision.action is GateAction.FORK else ()
    return _follow(debates, s, children or [args.id], args)


def fork(args: argparse.Namespace, s: Settings) -> int:
    """Make a new debate of a finished round of another, and run it in this process."""
    debates = Debates.open(s)
    locked = None
    if args.lock:
        key, found, value = args.lock.partition("=")
        if not found:
            raise InputError("lock", "A locked decision is written KEY=VALUE.")
        locked = (key, value)
    return _follow(debates, s, [debates.fork(args.id, args.after, locked=locked)], args)


def cancel(args: argparse.Namespace, s: Settings) -> int:
    """Stop a debate now, or with --finish after what is running."""
    debates = Debates.open(s)
    (debates.finish if args.finish else debates.cancel)(args.id)
    return 0


def _answers(args: argparse.Namespace, known: set[str]) -> tuple[RenegotiationAnswer, ...]:
    """The person's answers to the renegotiations of the round."""
    given = {**dict.fromkeys(args.accept, True), **dict.fromkeys(args.reject, False)}
    if unknown := given.keys() - known:
        named = ", ".join(sorted(known)) or "none"
        raise InputError("renegotiations", f"There is no renegotiation {min(unknown)} here; pending: {named}.")
    return tuple(RenegotiationAnswer(id=i, accepted=a) for i, a in given.items())


def _follow(debates: Debates, s: Settings, ids: Sequence[str], args: argparse.Namespace) -> int:
    """Run debates here, or see them run elsewhere, until each waits or has ended; the worst exit code of them."""
    engine = worker.run_here(s, ids)
    if (engine is None or not engine.running) and worker.anyone(s):
        _say("Another process runs the debates; following.")
    try:
        runs = [_until_it_rests(debates, id_, s, alone=engine is None) for id_ in ids]
    except KeyboardInterrupt:
        _say(f"Interrupted; nothing that was answered is lost. Go on with: vada resume {ids[0]}")
        return INTERRUPTED
    finally:
        if engine is not None:
            engine.stop()
    for rested in runs:
        _result(rested, as_json=args.json)
    debates.close()
    return code_of([r.state for r in runs])


def code_of(states: Sequence[DebateState]) -> int:
    """The exit code of several debates: that of the worst."""
    return EXIT[max(states, key=SEVERITY.index)]


def _someone_runs(s: Settings) -> None:
    """Raises VadaError when nobody runs the debates, so that nothing would ever happen."""
    if not worker.anyone(s):
        raise VadaError(
            "Nobody runs the debates here: VADA_WORKER is off, and neither the app nor a worker is running.",
            next_step="Start `vada` or `vada worker`, or run the command with VADA_WORKER=on.",
        )


def _until_it_rests(debates: Debates, id_: str, s: Settings, *, alone: bool) -> Run:
    """Say what happens until the debate waits or has ended. With `alone` no engine of this process will run it."""
    _say(f"Debate {id_}")
    seen, pause, looked = 0, threading.Event(), 0.0
    while True:
        happened = debates.events(id_, after=seen)
        for event in happened:
            seen = event.seq
            if said := progress.line(event):
                _say(said)
        now = debates.run(id_)
        if now.version == seen and now.state in EXIT:
            return now
        if alone and time.monotonic() - looked > _LOOK:
            _someone_runs(s)
            looked = time.monotonic()
        pause.wait(_MOMENT)


def _result(run: Run, *, as_json: bool) -> None:
    """The run on stdout: as JSON, or the page with a word on how it stands."""
    if as_json:
        print(json.dumps(exports.whole(run), ensure_ascii=True), flush=True)
        return
    if run.state is DebateState.WAITING and run.last and run.last.verdict:
        _say(f"It waits for you. {' '.join(c.reason for c in run.last.verdict.checks if c.result)}")
        _say(f"Decide with: vada gate {run.id} continue|fork|stop [--note TEXT [--to ROLE]]")
    if run.deliverable:
        print(run.deliverable.text, flush=True)


def baseline(args: argparse.Namespace, s: Settings) -> int:
    """Ask one model the question of a debate once, without a debate."""
    debates = Debates.open(s)
    run, seat = debates.run(args.id), Role(args.seat)
    if run.baseline is None or run.baseline.state != "answered":
        price = once.dollars(run.config, run.config.seat(seat))
        _say("1 call, " + ("price unknown" if price is None else f"about ${price:.3f}" if price else "no cost"))
        debates.ask_once(args.id, seat)
        run = _until_it_answers(debates, s, args.id)
    answer = run.baseline
    if args.json:
        print(json.dumps(answer.model_dump(mode="json") if answer else None, ensure_ascii=True), flush=True)
    elif answer and answer.state == "answered":
        print(answer.text, flush=True)
    debates.close()
    return 0 if answer and answer.state == "answered" else 1


def _until_it_answers(debates: Debates, s: Settings, id_: str) -> Run:
    """Have it asked here, or see it asked elsewhere; says what happens."""
    engine, seen, pause = worker.run_here(s, [id_]), debates.run(id_).version - 1, threading.Event()
    looked = 0.0
    try:
        while True:
            asking = debates.asking(id_)
            for event in debates.events(id_, after=seen):
                seen = event.seq
                if said := progress.line(event):
                    _say(said)
            if not asking:
                return debates.run(id_)
            if engine is None and time.monotonic() - looked > _LOOK:
                _someone_runs(s)
                looked = time.monotonic()
            pause.wait(_MOMENT)
    finally:
        if engine is not None:
            engine.stop()


# Looking and keeping.


def list_(args: argparse.Namespace, s: Settings) -> int:
    """List the debates, newest first."""
    rows = Debates.open(s).list(text=args.text, states=[DebateState(x) for x in args.state], deleted=args.deleted)
    if args.json:
        print(json.dumps([row.__dict__ for row in rows], ensure_ascii=True))
        return 0
    for row in rows:
        score = "   –" if row.score is None else f"{row.score:4.1f}"
        cost = "     ?" if row.dollars is None else f"{row.dollars:6.2f}"
        print(
            f"{row.id}  {row.state:11}  {row.created_at[:16]}  {score}  ${cost}  {' '.join(row.question.split())[:70]}"
        )
    return 0


def show(args: argparse.Namespace, s: Settings) -> int:
    """Show a debate as it stands."""
    run = Debates.open(s).run(args.id)
    if args.json:
        print(json.dumps(exports.whole(run), ensure_ascii=True))
    else:
        _print_bytes(exports.render(run, "md"))
    return 0


def export(args: argparse.Namespace, s: Settings) -> int:
    """Write a debate as a file."""
    debates = Debates.open(s)
    data = (
        debates.export_bundle(args.id) if args.format == "bundle" else exports.render(debates.run(args.id), args.format)
    )
    if args.output:
        Path(args.output).write_bytes(data)
    else:
        _print_bytes(data)
    return 0


def import_(args: argparse.Namespace, s: Settings) -> int:
    """Take in a bundle."""
    try:
        data = Path(args.file).read_bytes()
    except OSError as error:
        raise InputError("bundle", f"{args.file} cannot be read: {error.strerror}.") from error
    print(Debates.open(s).import_bundle(data))
    return 0


def verify(args: argparse.Namespace, s: Settings) -> int:
    """Check that nothing in a debate's record was changed."""
    problems = Debates.open(s).verify(args.id)
    for problem in problems:
        print(problem)
    if not problems:
        print("The record is sound.")
    return 1 if problems else 0


def calibrate(args: argparse.Namespace, s: Settings) -> int:
    """Recompute the measured thresholds of the failure modes from your own debates."""
    debates = Debates.open(s)
    kept = debates.value(CALIBRATION)
    before = Calibration.model_validate(kept) if kept else None
    if args.shipped:
        debates.save_value(CALIBRATION, None)
        print(f"The shipped thresholds hold again, in place of {before.version if before else 'themselves'}.")
        return 0
    try:
        found = failure_modes.calibrate(debates.run(row.id) for row in debates.list())
    except InputError as error:
        _say(str(error))
        return 1
    debates.save_value(CALIBRATION, found.model_dump(mode="json"))
    if before is not None and before.version == found.version:
        print(f"Nothing changed: {found.version}, from {found.rounds} rounds, holds already.")
        return 0
    held = before.version if before else "the shipped ones"
    print(f"Calibrated on {found.rounds} rounds: {found.version}, in place of {held}")
    was = cutoffs(before)
    for cut in found.cutoffs:
        print(f"  {cut.cut.value:14} {was[cut.cut].value:7.2f} -> {cut.value:7.2f}  {cut.basis}")
    for left in sorted({*CALIBRATED} - {cut.cut for cut in found.cutoffs}):
        print(f"  {left.value:14} {CUTOFFS[left].value:7.2f} as shipped: too few values")
    return 0


def doctor(args: argparse.Namespace, s: Settings) -> int:
    """Say what is configured and which models answer."""
    from vada.llm import probe, search  # brings the model SDK, which nothing else here needs

    reports = [asyncio.run(probe.check(s, name, call=args.call)) for name in s.endpoints]
    debates = Debates.open(s)
    for report in reports:
        debates.keep_report(report)
    debates.close()
    bad = [r for r in reports if r.key != "missing" and not r.ok]
    lacking = search.problem(s) if s.search_provider else ""
    if args.json:
        endpoints = [r.model_dump(mode="json") for r in reports]
        told = {"settings": s.shown(), "endpoints": endpoints, "search": lacking}
        print(json.dumps(told, ensure_ascii=True, default=str))
        return 1 if bad else 0
    print(f"data      {s.home}\nrecord    {s.shown()['database_url']}\nworker    {'on' if s.worker else 'off'}")
    print(f"panel     {settings.default_panel(s)}")
    if s.search_provider:
        print(f"search    {s.search_provider}  {lacking or f'to {search.RECEIVERS[s.search_provider]}'}")
    for report in reports:
        print(f"endpoint  {report.name}  {report.url or 'built in'}  key {report.key}  {_reached(report)}")
        for model in report.models:
            listed = {True: "listed", False: "not listed", None: "the server lists no models"}[model.listed]
            said = ", ".join(["answers", *_abilities(model)]) if model.answers else listed
            print(f"  {model.name}: {said}{f'  {model.error}' if model.error else ''}")
        if report.error:
            print(f"  {report.error} {report.next_step}")
    return 1 if bad else 0


def _reached(report: EndpointReport) -> str:
    return f"answers in {report.seconds:.2f} s" if report.reachable else "not reached"


def _abilities(model: ModelReport) -> list[str]:
    """What a model was found to keep of the protocol and what not."""
    found = [(ability.replace("_", " "), getattr(model, ability)) for ability in ABILITIES]
    return [words if can else f"not: {words}" for words, can in found if can is not None]


# What was asked for, as a debate.


def config_of(args: argparse.Namespace, s: Settings) -> DebateConfig:
    """The debate that the options of `run` describe. Raises InputError naming what cannot be used."""
    question = sys.stdin.read() if args.question == "-" else args.question
    if not question.strip():
        raise InputError("question", "There is no question.", next_step="Write what must be decided.")
    packs = PromptBook.load().packs
    key = args.pack or s.defaults.pack
    if key not in packs:
        raise InputError("pack", f"There is no pack {key}; there are {', '.join(sorted(packs))}.")
    return DebateConfig(
        question=question,
        constraints=constraints_from(args.constraint),
        material=tuple(_material(Path(name)) for name in args.material),
        priorities=args.priorities,
        pack=packs[key],
        seats=_seats(args, s, packs[key]),
        rounds=args.rounds or s.defaults.rounds,
        gate=GateMode(args.gate) if args.gate else s.defaults.gate,
        seed=args.seed,
    )


def _material(path: Path) -> Material:
    try:
        return Material(name=path.name, text=path.read_text("utf-8"))
    except OSError as error:
        raise InputError("material", f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError("material", f"{path} is not text in UTF-8.", next_step="Bring PDF in the browser.") from error


def _seats(args: argparse.Namespace, s: Settings, pack: Any) -> tuple[Seat, ...]:
    """The panel's seats with the models that were named."""
    web = False if args.no_web else None
    try:
        seats = list(settings.default_seats(s, pack, args.panel, web))
    except SettingsError as error:
        raise InputError("panel", error.message, next_step=error.next_step) from error
    for text in args.model:
        roles, model = _named(text, s)
        seats = [_seated(seat, model, s, web) if seat.role in roles else seat for seat in seats]
    for seat in seats:
        if not s.endpoints[seat.model.endpoint].configured:
            variable = s.endpoints[seat.model.endpoint].key_env
            raise InputError("model", f"{seat.model} needs a key.", next_step=f"Set {variable} in the environment.")
    return tuple(settings.with_methods(seats))


def _named(text: str, s: Settings) -> tuple[tuple[Role, ...], ModelRef]:
    """The roles and the model of `ROLE=NAME@ENDPOINT`."""
    name, found, written = text.partition("=")
    try:
        roles = tuple(Role) if name.strip() == "all" else (Role(name.strip()),)
        model = ModelRef.parse(written)
    except ValueError as error:
        roles_ = ", ".join(["all", *Role])
        raise InputError("model", f"{text!r} is not ROLE=NAME@ENDPOINT; roles are {roles_}.") from error
    if not found or model.endpoint not in s.endpoints:
        raise InputError("model", f"There is no endpoint {model.endpoint}; there are {', '.join(s.endpoints)}.")
    return roles, model


def _seated(seat: Seat, model: ModelRef, s: Settings, web: bool | None) -> Seat:
    searches = seat.role in DEBATERS and bool(s.searcher(model.endpoint))
    wanted = s.defaults.web if web is None else web
    fallbacks = tuple(m for m in seat.fallbacks if m != model)
    return seat.model_copy(update={"model": model, "fallbacks": fallbacks, "web": wanted and searches})


# The parser.


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vada",
        description="Structured adversarial debate among language models. Without a command: serve the app.",
    )
    parser.add_argument("--port", type=int, help="port to serve the app on")
    parser.add_argument("--host", default="", help="address to serve the app on")
    parser.set_defaults(command=serve)
    commands = parser.add_subparsers(metavar="COMMAND")

    add = _command(commands, "run", run)
    add.add_argument("question", metavar="QUESTION", help="what must be decided; - reads it from stdin")
    add.add_argument("--constraint", action="append", default=[], metavar="T", help="what any answer must keep to")
    add.add_argument("--material", action="append", default=[], metavar="FILE", help="a text to start from")
    add.add_argument("--priorities", default="", metavar="T", help="what matters most")
    add.add_argument("--pack", help="domain pack")
    add.add_argument("--panel", help="panel of models, as the settings name it")
    add.add_argument("--rounds", type=int, choices=(1, 2, 3))
    add.add_argument("--gate", choices=[m.value for m in GateMode], help="when the gate waits for you")
    add.add_argument("--model", action="append", default=[], metavar="ROLE=NAME@ENDPOINT", help="ROLE may be all")
    add.add_argument("--no-web", action="store_true", help="no web search")
    add.add_argument("--seed", type=int, default=0)
    _json_option(add)

    add = _command(commands, "list", list_)
    add.add_argument("text", nargs="?", default="", metavar="TEXT", help="words of the question")
    add.add_argument("--state", action="append", default=[], choices=[x.value for x in DebateState])
    add.add_argument("--deleted", action="store_true", help="the deleted ones")
    _json_option(add)

    _json_option(_with_id(commands, "show", show))
    _json_option(_with_id(commands, "resume", resume))

    add = _with_id(commands, "gate", gate)
    add.add_argument("action", metavar="ACTION", choices=["continue", "fork", "stop"])
    add.add_argument("--note", default="", metavar="T", help="a note to the agents of the next round")
    add.add_argument("--to", choices=[r.value for r in Role], help="the one role that gets the note")
    add.add_argument("--accept", action="append", default=[], metavar="ID", help="accept a renegotiation")
    add.add_argument("--reject", action="append", default=[], metavar="ID", help="reject a renegotiation")
    add.add_argument("--base-round", type=int, choices=(1, 2, 3), help="round to write the deliverable from")
    _json_option(add)

    add = _with_id(commands, "fork", fork)
    add.add_argument("--after", type=int, required=True, choices=(0, 1, 2, 3), help="last round to share")
    add.add_argument("--lock", metavar="KEY=VALUE", help="a decision that holds in the fork")
    _json_option(add)

    add = _with_id(commands, "baseline", baseline)
    add.add_argument("--seat", default=Role.COORDINATOR.value, choices=[r.value for r in Role], help="whose model")
    _json_option(add)

    add = _with_id(commands, "cancel", cancel)
    add.add_argument("--finish", action="store_true", help="let what is running end, and format what exists")

    add = _with_id(commands, "export", export)
    add.add_argument("--format", default="md", choices=["md", "json", "html", "docx", "pdf", "csv", "bundle"])
    add.add_argument("-o", "--output", metavar="FILE")

    _command(commands, "import", import_).add_argument("file", metavar="FILE")
    _with_id(commands, "verify", verify)
    add = _command(commands, "doctor", doctor)
    add.add_argument("--call", action="store_true", help="ask each model a few short questions; costs a little")
    _json_option(add)
    add = _command(commands, "calibrate", calibrate)
    add.add_argument("--shipped", action="store_true", help="go back to the shipped thresholds")
    _command(commands, "worker", work)
    return parser


def _command(commands: Any, name: str, function: Callable[..., int]) -> argparse.ArgumentParser:
    words = (function.__doc__ or "").splitlines()[0]
    added: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words)
    added.set_defaults(command=function)
    return added


def _with_id(commands: Any, name: str, function: Callable[..., int]) -> argparse.ArgumentParser:
    added = _command(commands, name, function)
    added.add_argument("id", metavar="ID")
    return added


def _json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the result as JSON on stdout")


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _print_bytes(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
