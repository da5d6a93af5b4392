"""How Discord says no."""

from __future__ import annotations

from typing import Any

INVALID_FORM = 50035
MESSAGES = {
    0: "General error",
    10003: "Unknown Channel",
    10004: "Unknown Guild",
    10007: "Unknown Member",
    10008: "Unknown Message",
    10011: "Unknown Role",
    10013: "Unknown User",
    10014: "Unknown Emoji",
    10015: "Unknown Webhook",
    10062: "Unknown interaction",
    10063: "Unknown application command",
    30015: "Maximum number of attachments in a message reached (10)",
    30032: "Maximum number of application commands reached (100)",
    30046: "Maximum number of edits to messages older than 1 hour reached. Try again later",
    40005: "Request entity too large",
    40060: "Interaction has already been acknowledged.",
    40067: "A tag is required to create a forum post in this channel",
    50001: "Missing Access",
    50005: "Cannot edit a message authored by another user",
    50006: "Cannot send an empty message",
    50007: "Cannot send messages to this user",
    50008: "Cannot send messages in a non-text channel",
    50013: "Missing Permissions",
    50016: "Provided too few or too many messages to delete. Must provide between 2 and 100.",
    50021: "Cannot execute action on a system message",
    50024: "Cannot execute action on this channel type",
    50027: "Invalid Webhook Token",
    50034: "A message provided to bulk delete is older than two weeks.",
    50083: "Thread is archived",
    160002: "Cannot reply without permission to read message history",
    160004: "A thread has already been created for this message",
    160005: "Thread is locked",
    160006: "Maximum number of active threads reached.",
    200000: "Message was blocked by automatic moderation",
}
STATUS = {
    50001: 403,
    50005: 403,
    50007: 403,
    50013: 403,
    50021: 403,
    50027: 401,
    40005: 413,
    30046: 429,
    160002: 403,
}


class ApiError(Exception):
    """Discord refuses; Discord's code says why."""

    def __init__(
        self,
        code: int,
        message: str | None = None,
        *,
        status: int | None = None,
        errors: Any = None,
        retry_after: float = 1.0,
    ) -> None:
        self.code, self.retry_after = code, retry_after
        self.message = message or MESSAGES[code]
        self.status = status or STATUS.get(code, 404 if 10001 <= code < 20000 else 400)
        self.errors = errors
        super().__init__(f"{code}: {self.message}")

    def described(self) -> dict[str, Any]:
        said: dict[str, Any] = {"message": self.message, "code": self.code}
        if self.status == 429:
            said |= {"retry_after": self.retry_after, "global": False}
        return said | ({"errors": self.errors} if self.errors else {})


class Problem(ApiError):
    """One field of what was sent is wrong."""

    def __init__(self, field: str, code: str, message: str, *, status: int = 400) -> None:
        self.field = field
        errors: dict[str, Any] = {"_errors": [{"code": code, "message": message}]}
        for name in reversed(field.split(".")):
            errors = {name: errors}
        if status == 500:
            super().__init__(0, "500: Internal Server Error", status=500)
        else:
            super().__init__(INVALID_FORM, "Invalid Form Body", status=status, errors=errors)
