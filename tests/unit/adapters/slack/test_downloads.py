from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.downloads import checked
from adapters.slack.downloads import OUTSIDE, SLACK, slack_at
from pipeline.domain import IngestReason
from pipeline.errors import IngestError

if TYPE_CHECKING:
    from adapters.downloads import Site

FILES = "files.slack.com"
"""Where Slack keeps files."""
LOCAL = slack_at("http://127.0.0.1:9000/api/")


@pytest.mark.parametrize(
    "address",
    [
        f"https://{FILES}/files-pri/T1-F1/download/plan.md",
        "https://FILES.SLACK.COM./x",
        f"https://{FILES}:443/x",
        "https://slack.com/x",
        "https://acme.slack-gov.com/x",
        "https://slack-files.com/T1-F1-abc",
        "https://acme.enterprise.slack.com/files-pri/x?pub_secret=1",
    ],
)
def test_slacks_own_addresses_may_be_visited(address: str) -> None:
    assert checked(address, SLACK)


@pytest.mark.parametrize("site", [SLACK, LOCAL], ids=["slack", "local"])
@pytest.mark.parametrize(
    "address",
    [
        "",
        "x",
        "//files.slack.com/x",
        "https:files.slack.com/x",
        "https://",
        f"http://{FILES}/x",
        f"ftp://{FILES}/x",
        "file:///etc/passwd",
        "data:text/plain,x",
        f"https://{FILES}:8443/x",
        f"https://{FILES}:80/x",
        f"https://{FILES}:99999/x",
        f"https://{FILES}.evil.com/x",
        "https://my-slack.com/x",
        "https://xslack.com/",
        "https://slack.com.:443.evil.com/",
        "https://evil.com/files.slack.com",
        "https://evil.com?files.slack.com",
        "https://evil.com#.slack.com",
        "https://evil.com/#@files.slack.com/",
        f"https://{FILES}@evil.com/x",
        "https://user@files.slack.com/x",
        "https://user:password@files.slack.com/x",
        "https://@files.slack.com/x",
        f"https://{FILES}\\@evil.com/",
        "https://evil.com\\.slack.com/",
        f"https://{FILES}%2eevil.com/",
        f"https://{FILES}\n.evil.com/",
        f"https://{FILES}/x\r\nHost: evil.com",
        f"\thttps://{FILES}/x",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://127.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost:9000/x",
        "http://127.0.0.1:9001/x",
        "http://127.0.0.1/x",
        "https://127.0.0.1:9000/x",
        "http://user@127.0.0.1:9000/x",
        "http://127.0.0.1:9000@evil.com/x",
        "http://127.0.0.1.:9000/x",
        "ws://127.0.0.1:9000/x",
    ],
)
def test_a_token_goes_to_no_other_address(address: str, site: Site) -> None:
    with pytest.raises(IngestError) as refused:
        checked(address, site)

    assert refused.value.reason is IngestReason.UNREADABLE
    assert str(refused.value) == OUTSIDE


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("http://127.0.0.1:9000/api/", "http://127.0.0.1:9000/files-pri/x"),
        ("http://127.0.0.1/api/", "http://127.0.0.1:80/files-pri/x"),
        ("https://proxy.example.com/slack/", "https://proxy.example.com/files-pri/x"),
        ("https://proxy.example.com:8443/slack/", "https://PROXY.example.com:8443/files-pri/x"),
    ],
)
def test_what_stands_in_for_slack_may_be_visited(base: str, address: str) -> None:
    assert checked(address, slack_at(base))


@pytest.mark.parametrize(
    "base", ["https://slack.com/api/", "https://slack-gov.com/api/", "http://slack.com/api/"]
)
def test_slacks_own_address_as_a_setting_opens_nothing_more(base: str) -> None:
    assert slack_at(base).own is None
