"""What is sealed comes back with a key that fits, and never stands in the database in clear."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select, update

from pipeline.errors import StorageError
from pipeline.storage.schema import vault as table
from pipeline.storage.vault import Vault

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.storage.sql import Database
    from tests.fakes.calendar import FakeCalendar

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
SECRET = "xoxb-a-token-that-nobody-may-read"


def vault_of(database: Database, *keys: str, calendar: FakeCalendar | None = None) -> Vault:
    clock = {"clock": calendar} if calendar else {}
    return Vault(database, keys or (OLD,), setting="FOOTNOTE_KEYS", **clock)


async def test_what_is_put_in_comes_back_and_the_last_text_counts(database: Database) -> None:
    vault = vault_of(database)
    await vault.put("slack/T1", "first")
    await vault.put("slack/T1", SECRET + "\nand a second line, ünd mehr")

    assert await vault.get("slack/T1") == SECRET + "\nand a second line, ünd mehr"
    assert await vault.get("slack/T2") is None


async def test_what_is_taken_is_given_to_one_of_all_who_ask(database: Database) -> None:
    vault = vault_of(database)
    await vault.put("state", SECRET)

    got = await asyncio.gather(*(vault.take("state") for _ in range(6)))

    assert sorted(got, key=str) == [None] * 5 + [SECRET]
    assert await vault.get("state") is None


async def test_names_are_found_by_their_beginning_and_nothing_else(database: Database) -> None:
    vault = vault_of(database)
    for name in ("a_b/2", "a_b/1", "axb/3", "A_B/4"):
        await vault.put(name, SECRET)
    await vault.delete("a_b/2")
    await vault.delete("nothing")

    assert await vault.names("a_b/") == ["a_b/1"]


async def test_what_is_too_old_goes(database: Database, calendar: FakeCalendar) -> None:
    vault = vault_of(database, calendar=calendar)
    await vault.put("state/old", "1")
    await vault.put("token/old", "1")
    calendar.advance(600)
    await vault.put("state/young", "1")
    calendar.advance(60)

    assert await vault.expire("state/", timedelta(minutes=10)) == 1
    assert await vault.names("") == ["state/young", "token/old"]


async def test_a_new_key_in_front_of_the_old_one_opens_what_both_sealed(database: Database) -> None:
    await vault_of(database, OLD).put("a", SECRET)
    both = vault_of(database, NEW, OLD)
    await both.put("b", SECRET)

    assert (await both.get("a"), await both.get("b")) == (SECRET, SECRET)
    assert await vault_of(database, NEW).get("b") == SECRET


async def test_a_wrong_key_is_an_error_that_names_the_setting_and_takes_nothing_away(
    database: Database,
) -> None:
    await vault_of(database, OLD).put("a", SECRET)
    wrong = vault_of(database, NEW)

    for ask in (wrong.get, wrong.take):
        with pytest.raises(StorageError, match="FOOTNOTE_KEYS") as raised:
            await ask("a")
        assert SECRET not in str(raised.value)
    assert await vault_of(database, OLD).get("a") == SECRET


async def test_a_row_that_was_put_under_another_name_does_not_open(database: Database) -> None:
    vault = vault_of(database)
    await vault.put("slack/T1", SECRET)
    async with database.write() as connection:
        await connection.execute(update(table).values(name="slack/T2"))

    with pytest.raises(StorageError, match="cannot be unsealed"):
        await vault.get("slack/T2")


@pytest.mark.parametrize("keys", [(), ("passphrase",)])
async def test_without_a_proper_key_nothing_is_opened_at_all(database: Database, keys: tuple[str]) -> None:
    with pytest.raises(StorageError, match="FOOTNOTE_KEYS"):
        Vault(database, keys, setting="FOOTNOTE_KEYS")


async def test_the_database_holds_no_plain_text(database: Database) -> None:
    await vault_of(database).put("a", SECRET)

    [row] = await database.rows(select(table))
    assert SECRET not in str(row)


async def test_the_files_of_the_database_hold_no_plain_text(sqlite: Database, tmp_path: Path) -> None:
    vault = vault_of(sqlite)
    await vault.put("a", SECRET)
    await vault.put("b", SECRET)
    await vault.take("b")

    kept = b"".join(path.read_bytes() for path in tmp_path.glob("footnote.sqlite3*"))

    assert b"gAAAA" in kept  # a sealed text is there, so the bytes looked at are the right ones
    assert SECRET.encode() not in kept
