"""The groups of settings: each setting, its default, what it is for, and what does not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from bot.values import (
    AppToken,
    BotToken,
    ConfigToken,
    DiscordToken,
    GuardedUrl,
    SealingKeys,
    Secret,
    WebUrl,
    keys_in,
)
from pipeline.addresses import is_loopback

if TYPE_CHECKING:
    from collections.abc import Iterator

SLACK_API = "https://slack.com/api/"


class Group(BaseModel):
    """A group of settings; an unknown name in it is a typing mistake and refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class LLM(Group):
    """The language model that words answers."""

    provider: Literal["auto", "ollama", "openai", "anthropic", "extractive"] = Field(
        "auto", description="auto takes Ollama if it answers and has the model, else the extractive reader."
    )
    model: str | None = Field(None, description="Name at the provider; Ollama's default is llama3.2.")
    base_url: WebUrl | None = Field(
        None, description="Address of the model server; Ollama's default is http://127.0.0.1:11434."
    )
    api_key: SecretStr | None = Field(None, description="Key for openai or anthropic.")
    num_ctx: int = Field(8192, ge=1024, le=2_000_000, description="Context window, in tokens.")
    num_predict: int = Field(700, ge=16, le=100_000, description="Longest answer, in tokens.")
    timeout_s: float = Field(120.0, gt=0, le=3600, description="Longest wait for an answer, in seconds.")
    max_concurrency: int = Field(
        2, ge=1, le=1000, description="Answers that one model server writes at the same time."
    )

    @model_validator(mode="after")
    def _fits(self) -> LLM:
        if self.num_predict * 2 > self.num_ctx:
            raise ValueError("num_predict may be at most half of num_ctx, or no room is left for sources")
        if self.provider in {"openai", "anthropic"} and not self.model:
            raise ValueError(f"provider {self.provider} needs a model; set FOOTNOTE_LLM__MODEL")
        key_at_risk = self.api_key and self.base_url and self.base_url.startswith("http://")
        if key_at_risk and not is_loopback(urlsplit(self.base_url or "").hostname or ""):
            raise ValueError("an api_key would travel in clear to base_url; use https, or a loopback address")
        return self


class Embedding(Group):
    """The embedding model that makes vectors of texts."""

    provider: Literal["auto", "embedded", "ollama", "openai"] = Field(
        "auto", description="auto takes Ollama's if it has the model, else the embedded one."
    )
    model: str | None = Field(None, description="Name at the provider; Ollama's default is nomic-embed-text.")
    base_url: WebUrl | None = Field(
        None, description="Address of the model server; unset: the LLM's, if both are Ollama."
    )
    api_key: SecretStr | None = Field(None, description="Key for openai.")
    threads: int = Field(2, ge=1, le=64, description="Processor threads for the embedded model.")


class RetrievalIntent(Group):
    """What a search should use; what it can use is verified while it runs."""

    dense: bool = Field(True, description="Search by meaning.")
    sparse: bool = Field(True, description="Search by words, codes and numbers.")
    rerank: bool = Field(
        False,
        description="Refine the ranking by a reranker. None is part of this version: "
        "answers then report rerank:unavailable.",
    )
    top_k: int = Field(6, ge=1, le=50, description="Passages that the model is shown.")

    @model_validator(mode="after")
    def _some_arm(self) -> RetrievalIntent:
        if not (self.dense or self.sparse):
            raise ValueError("dense and sparse cannot both be off")
        return self


class Answers(Group):
    """How answers are checked against the passages that they cite."""

    mode: Literal["streaming", "verified"] = Field(
        "streaming",
        description="streaming shows answers while they are written and names what no source supports; "
        "verified shows them once they are checked, without that. Each channel can choose for itself.",
    )
    judge: bool = Field(
        False, description="Ask the language model about statements that stay uncertain; takes its time."
    )
    judged_most: int = Field(3, ge=1, le=20, description="Statements of one answer that it is asked about.")


class Ingestion(Group):
    """Limits for files that people upload."""

    max_bytes: int = Field(50 * 2**20, ge=1024, description="Largest file, in bytes.")
    max_pages: int = Field(2000, ge=1, description="Most pages of a document.")
    timeout_s: float = Field(60.0, gt=0, le=3600, description="Longest time to read a file, in seconds.")
    workers: int = Field(
        2, ge=1, le=32, description="Files that are indexed at the same time, each of another channel."
    )
    ocr: bool = Field(
        False,
        description="Recognise the text of PDF pages that are pictures; needs the extra ocr, "
        "and 3 GB of address space for each worker.",
    )
    ocr_pages: int = Field(
        20,
        ge=1,
        le=2000,
        description="Most pages of a document whose text is recognised; each may take 40 more seconds.",
    )


class Slack(Group):
    """Slack: one workspace by its tokens, or many that install the app themselves."""

    bot_token: BotToken | None = Field(None, description="xoxb-…, of the one workspace that is served.")
    app_token: AppToken | None = Field(
        None, description="xapp-… with connections:write, for Socket Mode; unset: events come over HTTP."
    )
    signing_secret: Secret | None = Field(
        None, description="For HTTP mode: proves that a request comes from Slack."
    )
    api_base_url: GuardedUrl = Field(SLACK_API, description="For GovSlack, proxies and local servers.")
    connections: int = Field(1, ge=1, le=10, description="Connections of Socket Mode at the same time.")
    client_id: str | None = Field(
        None, description="For many workspaces: lets them install the app at /slack/install."
    )
    client_secret: Secret | None = Field(None, description="Belongs to the client id.")
    encryption_key: SealingKeys | None = Field(
        None,
        description="Seals the tokens of many workspaces. Several keys with commas between them: "
        "the first seals, all open.",
    )
    config_token: ConfigToken | None = Field(
        None, description="xoxe.xoxp-…, so that doctor can compare the app's manifest; it lasts 12 hours."
    )
    recheck_hours: float = Field(
        6.0, gt=0, le=720, description="Hours between two looks at whether indexed files are still there."
    )
    agent: bool = Field(
        False, description="Use Slack's agent feature: suggested prompts. Guests cannot use such an app."
    )

    @property
    def lacking(self) -> str | None:
        """What must be set for Slack to be served, as a sentence; None: nothing."""
        if self.bot_token is None and self.client_id is None:
            return (
                "No Slack workspace is set; set FOOTNOTE_SLACK__BOT_TOKEN, and FOOTNOTE_SLACK__APP_TOKEN for "
                "Socket Mode or FOOTNOTE_SLACK__SIGNING_SECRET for HTTP. docs/slack.md shows how."
            )
        if self.app_token is None and self.signing_secret is None:
            return (
                "Nothing would arrive from Slack; set FOOTNOTE_SLACK__APP_TOKEN for Socket Mode, or "
                "FOOTNOTE_SLACK__SIGNING_SECRET for events over HTTP. docs/slack.md shows how."
            )
        return None

    @property
    def sealing_keys(self) -> tuple[str, ...]:
        """The keys that stored tokens are sealed with; the first one seals, all open."""
        return () if self.encryption_key is None else tuple(keys_in(self.encryption_key.get_secret_value()))

    @model_validator(mode="wrap")
    @classmethod
    def _fits(cls, data: Any, validate: ModelWrapValidatorHandler[Slack]) -> Slack:
        """Look at what belongs together even where a single value is wrong: all faults are told at once."""
        given = {name for name, value in data.items() if value} if isinstance(data, dict) else set()
        faults = [_fault(name, message) for name, message in _misfits(given)]
        try:
            slack = validate(data)
        except ValidationError as error:
            alone = [
                _fault(fault["loc"], fault["msg"], fault["type"])
                for fault in error.errors(include_url=False, include_input=False, include_context=False)
            ]
            raise ValidationError.from_exception_data(
                cls.__name__, [*alone, *faults], hide_input=True
            ) from None
        if faults:
            raise ValidationError.from_exception_data(cls.__name__, faults, hide_input=True)
        return slack


def _misfits(given: set[str]) -> Iterator[tuple[str, str]]:
    """Yield each of Slack's settings that is missing or too much beside the *given* ones, with the reason."""
    many = "client_id" in given
    if "app_token" in given and not many and "bot_token" not in given:
        yield "bot_token", "an app token alone is not enough; set the bot token, xoxb-…, as well"
    if many and "bot_token" in given:
        yield "client_id", "a bot token serves one workspace, a client id serves many; set one of the two"
    if many and "client_secret" not in given:
        yield "client_secret", "the client id needs its secret; both stand under Basic Information"
    if many and "encryption_key" not in given:
        yield "encryption_key", "the client id needs it: tokens of many workspaces are stored sealed only"
    if many and not given & {"signing_secret", "app_token"}:
        yield "signing_secret", "the client id needs it, or an app token: without either no event arrives"
    if "client_secret" in given and not many:
        yield "client_id", "a client secret needs its client id; both stand under Basic Information"


def _fault(place: str | tuple[int | str, ...], message: str, kind: str = "misfit") -> InitErrorDetails:
    """Describe a fault without the value, which may be a secret."""
    loc = (place,) if isinstance(place, str) else place
    return InitErrorDetails(type=PydanticCustomError(kind, "{said}", {"said": message}), loc=loc, input=None)


class Discord(Group):
    """Discord: one bot, in as many servers as invite it."""

    token: DiscordToken | None = Field(None, description="The bot's token, from the application's Bot page.")
    api_base_url: GuardedUrl | None = Field(
        None, description="For proxies and local servers; goes with the gateway's."
    )
    gateway_url: GuardedUrl | None = Field(
        None, description="For proxies and local servers; goes with the API's."
    )
    message_content: bool = Field(
        True,
        description="Ask for the message content intent; follow-ups and files without a mention need it.",
    )
    sharded: bool = Field(
        False,
        description="Use as many connections as Discord recommends; with 2,500 servers, it demands several.",
    )
    sync_commands: bool = Field(
        True, description="Tell Discord which commands there are, when they have changed."
    )
    recheck_hours: float = Field(
        6.0, gt=0, le=720, description="Hours between two looks at whether indexed files are still there."
    )

    @property
    def lacking(self) -> str | None:
        """What must be set for Discord to be served, as a sentence; None: nothing."""
        if self.token is None:
            return "No Discord application is set; set FOOTNOTE_DISCORD__TOKEN. docs/discord.md shows how."
        return None

    @property
    def halfway(self) -> str | None:
        """Which address is missing beside the other one; None: neither, or both are given."""
        if (self.api_base_url is None) == (self.gateway_url is None):
            return None
        return (
            "FOOTNOTE_DISCORD__API_BASE_URL" if self.api_base_url is None else "FOOTNOTE_DISCORD__GATEWAY_URL"
        )


class Http(Group):
    """The health server: /healthz, /readyz, /metrics."""

    host: str = Field("127.0.0.1", description="Address to listen on; 0.0.0.0 in a container.")
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on; 0 lets the system choose.")
