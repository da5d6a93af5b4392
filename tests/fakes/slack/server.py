"""The local Slack server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.slack import chat, directory, streams, surfaces  # noqa: F401 (they register their methods)
from tests.fakes.slack.downloads import Downloads, ResponseUrls
from tests.fakes.slack.interactions import Interactions
from tests.fakes.slack.web_api import WebApi
from tests.fakes.slack.world import (
    ADAM,
    ANNA,
    BEN,
    GINA,
    OLGA,
    ROBOT,
    STRANGER,
    Channel,
    User,
    Workspace,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.fakes.slack.shared_files import ChannelKind

PEOPLE = (ANNA, BEN, ADAM, OLGA, GINA, ROBOT)


class SlackServer(Interactions):
    """A Slack with one workspace, people and channels in it, on a port of this machine.

    ``async with SlackServer() as slack`` starts and stops it; `base_url` is where its Web API is.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.team = self.add_workspace("T0ACME", "acme")

    async def start(self) -> str:
        """Listen. Returns the base URL of the Web API."""
        downloads, responses = Downloads(self), ResponseUrls(self)
        app = web.Application(client_max_size=32 * 2**20)
        app.router.add_route("*", "/api/{method}", WebApi(self).handle)
        app.router.add_get("/link/", self.sockets.link)
        app.router.add_get("/files-pri/{file}/download/{name}", downloads.serve)
        app.router.add_get("/files-pri/{file}/{name}", downloads.serve)
        app.router.add_post("/response/{id}", responses.serve)
        other = web.Application()
        other.router.add_get("/{path:.*}", downloads.serve_elsewhere)
        self.base_url = f"{await self.listen(app)}/api/"
        self.elsewhere = f"{await self.listen(other)}/"
        return self.base_url

    async def _disconnect(self) -> None:
        await self.sockets.close()

    @property
    def environment(self) -> dict[str, str]:
        """The settings with which the program talks to this server over Socket Mode."""
        return {
            "FOOTNOTE_SLACK__API_BASE_URL": self.base_url,
            "FOOTNOTE_SLACK__BOT_TOKEN": self.team.token,
            "FOOTNOTE_SLACK__APP_TOKEN": self.app_token,
        }

    def add_workspace(self, team: str, domain: str, *, installed: bool = True) -> Workspace:
        """Add a workspace with people and one channel of each kind."""
        first = not self.workspaces
        mark = "" if first else domain.upper()
        space = Workspace(
            id=team,
            name=domain.title(),
            domain=domain,
            bot=f"U0BOT{mark}",
            bot_id=f"B0BOT{mark}",
            token=f"xoxb-{team}-bot",
            installed=installed,
        )
        self.workspaces[team] = space
        for user in PEOPLE:
            self.add_user(space, f"{user}{mark}")
        space.users[f"{ADAM}{mark}"].admin = space.users[f"{OLGA}{mark}"].owner = True
        space.users[f"{GINA}{mark}"].guest = True
        space.users[f"{ROBOT}{mark}"].bot_id = f"B0ROBOT{mark}"
        self.add_user(space, f"{STRANGER}{mark}", team="T9OTHER")
        self.add_user(space, space.bot).bot_id = space.bot_id
        self._add_channels(space, mark)
        return space

    def add_user(self, workspace: Workspace, name: str, team: str | None = None) -> User:
        user = User(id=name, team=team or workspace.id, name=name[2:].lower())
        workspace.users[name] = user
        return user

    def add_channel(
        self,
        channel: str,
        kind: ChannelKind = "public",
        *,
        workspace: Workspace | None = None,
        members: Sequence[str] | None = None,
        **fields: Any,
    ) -> Channel:
        """Add a channel; without *members* everybody of the workspace and the bot are in it."""
        space = workspace or self.team
        everybody = [one.id for one in space.users.values() if one.team == space.id]
        name = fields.pop("name", channel[2:].lower())
        made = Channel(id=channel, name=name, kind=kind, members=list(members or everybody), **fields)
        space.channels[channel] = made
        return made

    def _add_channels(self, space: Workspace, mark: str) -> None:
        add = self.add_channel
        anna, bot = f"{ANNA}{mark}", space.bot
        add(f"C0GENERAL{mark}", workspace=space, creator=anna)
        add(f"C0SECOND{mark}", workspace=space, creator=anna)
        add(f"C0THIRD{mark}", workspace=space, creator=anna)
        add(f"C0PRIVATE{mark}", "private", workspace=space, creator=anna)
        add(f"C0MPIM{mark}", "mpim", workspace=space, members=[anna, f"{BEN}{mark}", bot])
        add(f"D0ANNA{mark}", "im", workspace=space, members=[anna, bot], creator=anna)
        add(f"D0BEN{mark}", "im", workspace=space, members=[f"{BEN}{mark}", bot], creator=f"{BEN}{mark}")
        add(f"C0ARCHIVED{mark}", workspace=space, archived=True, creator=anna)
        add(f"C0WITHOUT{mark}", workspace=space, members=[anna], creator=anna)
        shared = add(f"C0SHARED{mark}", workspace=space, shared=True, creator=anna)
        shared.members.append(f"{STRANGER}{mark}")
