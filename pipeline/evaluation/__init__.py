"""Score a dataset through the same pipeline that answers questions."""

from pipeline.evaluation.run import Outcome, Plan, evaluate

__all__ = ["Outcome", "Plan", "evaluate"]
