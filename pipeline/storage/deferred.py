"""Put off what importing LanceDB brings along and never uses, which would be half of every start."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any, Final

REST_CLIENT: Final = "lance_namespace_urllib3_client"
"""LanceDB takes only the models in this package; its `__init__` makes clients for every call of a service."""


def defer(package: str) -> None:
    """Have *package* run its own code when a name of it is asked for, not when a module in it is imported.

    Does nothing if the package is not installed, or imported already.
    """
    spec = None if package in sys.modules else importlib.util.find_spec(package)
    if spec is None or spec.loader is None:
        return
    loader, module = spec.loader, importlib.util.module_from_spec(spec)

    def resolve(name: str) -> Any:
        del module.__dict__["__getattr__"]
        loader.exec_module(module)
        return getattr(module, name)

    module.__dict__["__getattr__"] = resolve
    sys.modules[package] = module
