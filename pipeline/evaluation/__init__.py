"""Score a dataset through the same pipeline that answers questions."""

from pipeline.evaluation.run import evaluate

__all__ = ["evaluate"]
