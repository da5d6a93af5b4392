"""Write docs/slack-manifest.yaml from the adapter's list of scopes and events.

Run ``python scripts/manifest.py`` after a change of ``adapters/slack/manifest.py``.
`make fix` runs it as well, and a test says when it was forgotten.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "slack-manifest.yaml"

TEXT = """\
# The Slack app of Footnote. Written by scripts/manifest.py: change adapters/slack/manifest.py instead.
#
# Paste it at https://api.slack.com/apps > Create New App > From a manifest. docs/slack.md goes on from there.
# It is made for Socket Mode, which needs no public address. The lines that begin with "# HTTP:", "# agent:"
# and "# many:" are for HTTP mode, the agent feature and many workspaces: docs/slack.md says when and how.
_metadata:
  major_version: 1
display_information:
  name: Footnote
  description: Answers from the files of a channel, and says where each sentence stands.
  background_color: "#2c2d30"
features:
  app_home:
    home_tab_enabled: true
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: Footnote
    always_online: true
  slash_commands:
    - command: {command}
      # HTTP: url: https://footnote.example.com{events}
      description: Documents, settings and help of this channel
      usage_hint: help | docs | status | why | forget ID | settings | reset
      should_escape: false
  shortcuts:
    - name: Index this
      type: message
      callback_id: {shortcut}
      description: Index the files of this message
  # agent: agent_view:
  # agent:   agent_description: Answers from the files of a channel, and says where each sentence stands.
oauth_config:
  # many: redirect_urls:
  # many:   - https://footnote.example.com{redirect}
  scopes:
    bot:
{scopes}
settings:
  event_subscriptions:
    # HTTP: request_url: https://footnote.example.com{events}
    bot_events:
{bot_events}
  interactivity:
    is_enabled: true
    # HTTP: request_url: https://footnote.example.com{events}
  org_deploy_enabled: false
  socket_mode_enabled: true # HTTP: false
  token_rotation_enabled: false # this cannot be taken back once it is on, and Footnote has no use for it
"""


def page() -> str:
    """Return the text of docs/slack-manifest.yaml."""
    from adapters.slack import manifest

    return TEXT.format(
        command=manifest.COMMAND,
        shortcut=manifest.SHORTCUT,
        events=manifest.EVENTS_PATH,
        redirect=manifest.REDIRECT_PATH,
        scopes=listed((need.name, need.agent) for need in manifest.SCOPES),
        bot_events=listed((need.name, need.agent) for need in manifest.EVENTS),
    )


def listed(names: Iterable[tuple[str, bool]]) -> str:
    """Return a list in YAML, with what only the agent feature needs as comments."""
    return "\n".join(f"      {'# agent: ' if agent else ''}- {name}" for name, agent in names)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(page(), encoding="utf-8")
