"""The last report of each endpoint, kept beside the debates so that every page and every worker goes by it.

Functions on a connection; no key is in a report.
"""

from pydantic import ValidationError
from sqlalchemy import Connection

from vada.models.reports import EndpointReport
from vada.store import shelf

_PREFIX = "endpoint:"


def read(c: Connection) -> dict[str, EndpointReport]:
    """Every kept report, by the endpoint's name; one that another version wrote and this cannot read is left out."""
    found = {}
    for data in shelf.read_values(c, _PREFIX).values():
        try:
            report = EndpointReport.model_validate(data)
        except ValidationError:
            continue
        found[report.name] = report
    return found


def keep(c: Connection, report: EndpointReport) -> None:
    """Keep a report in the place of the endpoint's last; what that one learned by asking stands where this did not
    ask."""
    whole = report.after(read(c).get(report.name))
    shelf.save_value(c, _PREFIX + report.name, whole.model_dump(mode="json"))
