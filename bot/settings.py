"""The only reader of the environment: every setting, its default and what it is for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from bot.groups import LLM, Answers, Discord, Embedding, Group, Http, Ingestion, RetrievalIntent, Slack
from bot.values import Folder  # noqa: TC001 (pydantic reads it)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class InvalidSettings(Exception):
    """Settings that cannot be used; the message names every fault, one a line."""


class Settings(BaseSettings):
    """All settings, read from ``FOOTNOTE_…`` in the environment and from ``.env``."""

    model_config = SettingsConfigDict(
        env_prefix="FOOTNOTE_",
        env_nested_delimiter="__",
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
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
    answers: Answers = Answers()
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
        slack = self.slack
        given = {
            "Slack": slack.bot_token or slack.app_token or slack.signing_secret or slack.client_id,
            "Discord": self.discord.token,
        }
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
