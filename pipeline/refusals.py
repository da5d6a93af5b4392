"""What people read when a question ends without an answer."""

from __future__ import annotations

from pipeline.conversation import Reason

_SENTENCES: dict[Reason, str] = {
    Reason.EMPTY_QUERY: "There was no question in that message. Ask something about this channel's files.",
    Reason.QUERY_TOO_LONG: (
        "That question is too long. Shorten it, or upload the long part as a file and ask about it."
    ),
    Reason.PROMPT_INJECTION: (
        "That reads like an instruction to change how I work, so I did not follow it. "
        "Ask about what the files say instead."
    ),
    Reason.ABOUT_ASSISTANT: (
        "I answer questions from the files of this channel, and say where each answer stands. "
        "Ask about anything that they say; the command “docs” lists them."
    ),
    Reason.RATE_LIMITED: "Too many questions are waiting here. Ask again when they are answered.",
    Reason.NO_DOCUMENTS: "This channel has no indexed files yet. Upload one, then ask again.",
    Reason.STILL_INDEXING: "Files are still being indexed. Ask again in a moment.",
    Reason.NO_RELEVANT_CONTEXT: (
        "Nothing in this channel's files answers this. Try other words, or upload a file that covers it."
    ),
    Reason.EMPTY_RESPONSE: "The language model sent no answer. Ask again, perhaps in other words.",
    Reason.UNSUPPORTED_ANSWER: (
        "No statement of the answer was supported by the files, so it is not shown. "
        "These are the closest passages."
    ),
    Reason.MODEL_UNAVAILABLE: (
        "The language model cannot be reached. These are the closest passages, not an answer."
    ),
    Reason.MODEL_TIMEOUT: (
        "The language model took too long. These are the closest passages, not an answer."
    ),
    Reason.MODEL_NOT_FOUND: (
        "The language model is not installed on its server. These are the closest passages, not an answer."
    ),
    Reason.CANCELLED: "Stopped.",
    Reason.INTERNAL_ERROR: "Something went wrong on my side, and it was logged. Ask again.",
}


def sentence_for(reason: Reason) -> str:
    """Return what to tell people, with what they can do about it."""
    return _SENTENCES[reason]


NOT_AMONG_THEM = (
    "None of the documents that this question is limited to can be searched in this channel. "
    "Ask without the limit, or look the document up in the channel's list."
)
"""For NO_RELEVANT_CONTEXT where the question's own filter leaves nothing to search."""

_NOT_SEARCHED: dict[Reason, str] = {
    Reason.MODEL_UNAVAILABLE: "the embedding model cannot be reached",
    Reason.MODEL_TIMEOUT: "the embedding model took too long",
    Reason.MODEL_NOT_FOUND: "the embedding model is not installed on its server",
}


def search_sentence_for(reason: Reason) -> str:
    """Return what to tell people where a model failed the search, so that there are no passages either."""
    return f"The files could not be searched: {_NOT_SEARCHED[reason]}. Ask again in a moment."


_OTHER_LANGUAGE = (
    "I looked through {searched} and found no answer. Your question and the files are in different "
    "languages, and the model that is installed here finds meaning in English only; between languages I find "
    "names, numbers and codes at best. Ask in the language of the files. Whoever runs me can change this: it "
    "takes a multilingual embedding model."
)


def not_found_sentence(files: int, *, why: str = "unrelated", limited: bool = False) -> str:
    """Return what to tell people for NO_RELEVANT_CONTEXT: what was searched, and what may help.

    *files* are the ones that were looked through; *why* is the code of the verdict; *limited*: the question
    is limited to these files, and the channel may hold more.
    """
    searched, there = ("the one file", "in it") if files == 1 else (f"all {files} files", "in any of them")
    code = why == "code_not_found"
    if why == "other_language":
        return _OTHER_LANGUAGE.format(searched=searched)
    lacking = f"I did not find the code of your question {there}" if code else "no passage comes close enough"
    advice = "Check how it is written" if code else "Ask in words that the files use"
    if limited:
        return (
            f"I looked only through {searched} that the question is limited to, and {lacking}. "
            f"{advice}, or without that limit."
        )
    return (
        f"Nothing in this channel's files answers this. I looked through {searched} indexed here, "
        f"and {lacking}. {advice}, or upload a file that covers it."
    )
