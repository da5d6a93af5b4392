"""The plain pages that people see in a browser at the end of an installation."""

from __future__ import annotations

import html

from adapters.slack.manifest import INSTALL_PATH

HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # the address holds a code
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Sent with every page: nothing is loaded, framed or kept."""

AGAIN = f'<a href="{INSTALL_PATH}">Try again</a>.'
SENTENCES = {
    "access_denied": f"The installation was cancelled. {AGAIN}",
    "invalid_browser": f"This browser did not begin the installation, or began it too long ago. {AGAIN}",
    "invalid_state": f"This installation took too long, or was finished before. {AGAIN}",
    "missing_code": f"Slack sent no code. {AGAIN}",
    "invalid_code": f"Slack did not complete the installation. {AGAIN} The log of the service knows more.",
    "storage_error": "The installation cannot be kept. Whoever runs the service finds the reason in its log.",
}
"""What is said to people for each reason that an installation may end for."""
OTHERWISE = f"Slack did not complete the installation. {AGAIN}"

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body {{ font: 1.1rem/1.5 sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem }}</style>
</head>
<body>
<h1>{title}</h1>
<p>{text}</p>
</body>
</html>
"""


def installed(place: str) -> str:
    """Return the page that says in which workspace the app is now."""
    text = (
        f"Footnote is now in {html.escape(place)}. Invite it to a channel with "
        f"<code>/invite @Footnote</code>, upload a file there, and mention Footnote with a question. "
        f"You can close this page."
    )
    return _PAGE.format(title="Installed", text=text)


def failed(reason: str) -> str:
    """Return the page for *reason*, which is not quoted: it may come from the address."""
    return _PAGE.format(title="Not installed", text=SENTENCES.get(reason, OTHERWISE))
