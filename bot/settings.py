"""The only reader of the environment: every setting, its default and what it is for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from pipeline.addresses import is_loopback

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SLACK_API = "https://slack.com/api/"


class InvalidSettings(Exception):
    """Settings that cannot be used; the message names every fault, one a line."""


def _guarded_url(url: str) -> str:
    """Accept https and wss anywhere, plain http and ws only to this machine: a token travels in clear."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https", "ws", "wss"} or not parts.hostname:
        raise ValueError("this is not a web address; write it like https://host/path")
    if parts.scheme in {"http", "ws"} and not is_loopback(parts.hostname):
        raise ValueError("the token would travel in clear; use https, or a loopback address")
    return url


def _web_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("this is not a web address; write it like http://127.0.0.1:11434")
    return url


def _at_home(path: Path) -> Path:
    """Read a leading ``~`` as shells do; .env has no shell to do so."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError("nobody's home is known here; write the whole path") from error


Folder = Annotated[Path, AfterValidator(_at_home)]
GuardedUrl = Annotated[str, AfterValidator(_guarded_url)]
WebUrl = Annotated[str, AfterValidator(_web_url)]


class Group(BaseModel):
    """A group of settings; an unknown name in it is a typing mistake and refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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


class Ingestion(Group):
    """Limits for files that people upload."""

    max_bytes: int = Field(50 * 2**20, ge=1024, description="Largest file, in bytes.")
    max_pages: int = Field(2000, ge=1, description="Most pages of a document.")
    timeout_s: float = Field(60.0, gt=0, le=3600, description="Longest time to read a file, in seconds.")
    workers: int = Field(1, ge=1, le=32, description="Files that are indexed at the same time.")


class Slack(Group):
    """The Slack workspace; its adapter is not part of this version."""

    bot_token: SecretStr | None = Field(None, description="xoxb-…")
    app_token: SecretStr | None = Field(None, description="xapp-…, for Socket Mode.")
    signing_secret: SecretStr | None = Field(None, description="For HTTP mode.")
    api_base_url: GuardedUrl = Field(SLACK_API, description="For GovSlack, proxies and local servers.")


class Discord(Group):
    """The Discord application; its adapter is not part of this version."""

    token: SecretStr | None = Field(None, description="The bot's token.")
    api_base_url: GuardedUrl | None = Field(None, description="For proxies and local servers.")
    gateway_url: GuardedUrl | None = Field(None, description="For proxies and local servers.")


class Http(Group):
    """The health server: /healthz, /readyz, /metrics."""

    host: str = Field("127.0.0.1", description="Address to listen on; 0.0.0.0 in a container.")
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on; 0 lets the system choose.")


class Settings(BaseSettings):
    """All settings, read from ``FOOTNOTE_…`` in the environment and from ``.env``."""

    model_config = SettingsConfigDict(
        env_prefix="FOOTNOTE_",
        env_nested_delimiter="__",
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    data_dir: Folder = Field(Path("./data"), description="Folder of the database, the vectors and the logs.")
    database_url: SecretStr | None = Field(
        None, description="SQLAlchemy async URL; unset: an SQLite file in the data folder."
    )
    vector_uri: str | None = Field(
        None, description="Folder, s3://…, gs://… or az://…; unset: a folder in the data folder."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Least level that is written to the log file."
    )
    llm: LLM = LLM()
    embedding: Embedding = Embedding()
    retrieval: RetrievalIntent = RetrievalIntent()
    ingestion: Ingestion = Ingestion()
    slack: Slack = Slack()
    discord: Discord = Discord()
    http: Http = Http()

    @property
    def database(self) -> str:
        """The database's URL. Holds a password on a server database: never print it."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite+aiosqlite:///{self.data_dir.absolute() / 'footnote.sqlite3'}"

    @property
    def platforms(self) -> tuple[str, ...]:
        """The chat platforms that a token was given for, as people write their names."""
        slack = self.slack.bot_token or self.slack.app_token or self.slack.signing_secret
        given = {"Slack": slack, "Discord": self.discord.token}
        return tuple(name for name, token in given.items() if token)

    @property
    def vectors(self) -> str:
        """Where the catalogs' vectors are."""
        return self.vector_uri or str(self.data_dir.absolute() / "vectors")


def load_settings() -> Settings:
    """Read the settings. Raises `InvalidSettings` with every fault in one message."""
    faults = [f"{name}: there is no such setting" for name in sorted(_unknown_names())]
    try:
        settings = Settings()
    except ValidationError as error:
        raise InvalidSettings(_message([*_faults(error), *faults])) from error
    except SettingsError as error:
        groups = ", ".join(name for name in sorted(os.environ) if _is_group(name))
        raise InvalidSettings(_message([f"{groups}: this is a group; set its members", *faults])) from error
    if faults:
        raise InvalidSettings(_message(faults))
    return settings


def _unknown_names() -> set[str]:
    """Return the names with our prefix that begin like no setting; a misspelt one must not be ignored."""
    prefix = "FOOTNOTE_"
    given = {
        name.upper() for name in (*os.environ, *dotenv_values(".env")) if name.upper().startswith(prefix)
    }
    known = {field.upper() for field in Settings.model_fields}
    return {name for name in given if name.removeprefix(prefix).partition("__")[0] not in known}


def _is_group(name: str) -> bool:
    field = Settings.model_fields.get(name.upper().removeprefix("FOOTNOTE_").lower())
    return field is not None and isinstance(field.default, Group)


def _message(faults: Sequence[str]) -> str:
    return "Settings cannot be used:\n" + "\n".join(f"  {fault}" for fault in faults)


def _faults(error: ValidationError) -> Iterator[str]:
    """Name each faulty variable and what is wrong with it, never its value: it may be a secret."""
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        name = "FOOTNOTE_" + "__".join(str(part).upper() for part in fault["loc"])
        message = fault["msg"].removeprefix("Value error, ")
        yield f"{name}: {'there is no such setting' if fault['type'] == 'extra_forbidden' else message}"
