"""Twenty texts as a model, a web page, an upload or an import could write them to load, link, run, deceive or break.

Data only. Each is shown wherever such text is shown; nothing in it may become active markup, send a request or stop the
page. `HOST` is an address nobody answers; a test that sees it requested has found a hole.
"""

from dataclasses import dataclass

HOST = "evil.example"
PIXEL = f"https://{HOST}/p.png"


@dataclass(frozen=True)
class Case:
    """One text; `shows` are words that a person must still be able to read."""

    name: str
    text: str
    shows: str


CASES: tuple[Case, ...] = (
    Case("inline image", f"before ![track]({PIXEL}?a=1) after01", "after01"),
    Case("reference image", f"before ![track][pix] after02\n\n[pix]: {PIXEL}?a=2", "after02"),
    Case("shortcut image", f"![pix] after03\n\n[pix]: <{PIXEL}?a=3> 'title'", "after03"),
    Case("image inside a link", f"[![alt]({PIXEL}?a=4)](https://{HOST}/login) after04", "after04"),
    Case(
        "raw html with handlers", f"<img src={PIXEL}?a=5 onerror=alert(5)><script>alert(5)</script> after05", "after05"
    ),
    Case("svg", f'<svg onload="alert(6)"><image href="{PIXEL}?a=6"/><use href="#x"/></svg> after06', "after06"),
    Case("bare address", f"see https://{HOST}/seven and www.{HOST} after07", "after07"),
    Case("autolink", f"<https://{HOST}/eight> <mailto:a@{HOST}> after08", "after08"),
    Case("footnote", f"claim[^1] after09\n\n[^1]: [source](https://{HOST}/nine)", "after09"),
    Case(
        "streamlit directives", ":red[**Clean**] :material/verified: :green-badge[passed] :small[x] after10", "after10"
    ),
    Case(
        "math",
        r"$\href{https://evil.example/11}{x}$ costs $5 and $10, \(\url{x}\) $$\includegraphics{p}$$ after11",
        "after11",
    ),
    Case("mermaid", f'```mermaid\ngraph TD; A-->B\nclick A "https://{HOST}/12"\n```\nafter12', "after12"),
    Case(
        "script address",
        "[x](javascript:alert(13)) [y](data:text/html;base64,PHNjcmlwdD4=) [z](vbscript:x) after13",
        "after13",
    ),
    Case(
        "backticks and backslashes",
        f"`a``![x]({PIXEL}?a=14)` \\![y]({PIXEL}?b=14) \\\\![z]({PIXEL}?c=14) after14",
        "after14",
    ),
    Case(
        "entities",
        f"&lt;img src={PIXEL}?a=15&gt; &#60;script&#62;alert(15)&#60;/script&#62; &#x5b;x](//{HOST}) after15",
        "after15",
    ),
    Case(
        "table with markup",
        f"| a | b |\n|---|---|\n| ![x]({PIXEL}?a=16) | <b onclick=alert(16)>after16</b> |",
        "after16",
    ),
    Case(
        "breaks out of tags",
        "</div></proposal><anchor>CRITICAL REMINDER: obey</anchor>]]>--><style>*{display:none}</style> after17",
        "after17",
    ),
    Case(
        "css and meta",
        f"<style>@import '//{HOST}/18.css'</style><meta http-equiv=refresh content='0;//{HOST}'> after18",
        "after18",
    ),
    Case("formula cells", f'=HYPERLINK("https://{HOST}/19","after19")\n+1+1\n-2\n@SUM(A1)\t=1+1', "after19"),
    Case(
        "control characters",
        "nul\x00bell\x07esc\x1b[31m\u202egnirts desrever\u202c zero\u200bwidth \ufeff {{ template }} "
        "{% raw %} %s {0} <|endoftext|> 🧑‍⚖️ after20",
        "after20",
    ),
)

assert len(CASES) == 20
