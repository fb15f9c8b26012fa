"""A mypy plugin: what is changed in a struct is checked against its fields.

msgspec declares ``replace(struct, **changes: Any)``, so a misspelt field or a value of the wrong type would pass. Here
the call gets the signature of the struct's own constructor, with every field optional. The same holds for the
functions of the core through which a state is changed (``CHANGES``, ``DRAFT``).
"""

from collections.abc import Callable

from mypy.expandtype import expand_type_by_instance
from mypy.maptype import map_instance_to_supertype
from mypy.nodes import ARG_NAMED_OPT, ARG_POS, FuncDef, TypeInfo
from mypy.plugin import FunctionSigContext, MethodSigContext, Plugin
from mypy.types import CallableType, FunctionLike, Instance, Type, TypeVarType, get_proper_type

REPLACE = "msgspec.structs.replace"
RUN = "rawr.core.state.run.Run"
CHANGES: dict[str, tuple[str, frozenset[str]]] = {
    "rawr.core.run.ending.change": (RUN, frozenset({"waiting"})),
    "rawr.core.run.ending.move": (RUN, frozenset({"waiting"})),
}
"""Functions that take the fields of a struct by name, after their other arguments, except those that they set."""
DRAFT = "rawr.core.draft.Draft"
"""``Draft[ThreadState].change`` takes the fields of a ``ThreadState``."""


class Structs(Plugin):
    def get_function_signature_hook(self, fullname: str) -> Callable[[FunctionSigContext], FunctionLike] | None:
        if fullname == REPLACE:
            return _replaced
        if fullname in CHANGES:
            return lambda context: self._with_fields_of(*CHANGES[fullname], context)
        return None

    def get_method_signature_hook(self, fullname: str) -> Callable[[MethodSigContext], FunctionLike] | None:
        owner, _, method = fullname.rpartition(".")
        return _changed if method == "change" and self._is_draft(owner) else None

    def _is_draft(self, name: str) -> bool:
        """A method is asked for by the class that it is called on, not by the one that has it."""
        found = self.lookup_fully_qualified(name)
        return found is not None and isinstance(found.node, TypeInfo) and found.node.has_base(DRAFT)

    def _with_fields_of(self, name: str, without: frozenset[str], context: FunctionSigContext) -> FunctionLike:
        found = self.lookup_fully_qualified(name)
        assert found is not None and isinstance(found.node, TypeInfo), name  # noqa: S101, PT018
        fields = {field: kind for field, kind in _fields(found.node).items() if field not in without}
        return _named(context.default_signature, fields) or context.default_signature


def _replaced(context: FunctionSigContext) -> FunctionLike:
    """``replace(struct, /, **changes)`` for the struct that is given."""
    signature = context.default_signature
    given = context.args[0][0] if context.args and context.args[0] else None
    struct = get_proper_type(context.api.get_expression_type(given)) if given is not None else None
    while isinstance(struct, TypeVarType):
        struct = get_proper_type(struct.upper_bound)
    if not isinstance(struct, Instance):
        return signature
    fields = {name: expand_type_by_instance(kind, struct) for name, kind in _fields(struct.type).items()}
    return _named(signature, fields) or signature


def _changed(context: MethodSigContext) -> FunctionLike:
    draft = get_proper_type(context.type)
    base = next((one for one in draft.type.mro if one.fullname == DRAFT), None) if isinstance(draft, Instance) else None
    if base is None or not isinstance(draft, Instance):
        return context.default_signature
    state = get_proper_type(map_instance_to_supertype(draft, base).args[0])
    if not isinstance(state, Instance):
        return context.default_signature
    return _named(context.default_signature, _fields(state.type)) or context.default_signature


def _fields(struct: TypeInfo) -> dict[str, Type]:
    """What its constructor takes, by name."""
    found = struct.get("__init__")
    if found is None or not isinstance(found.node, FuncDef) or not isinstance(found.node.type, CallableType):
        return {}
    made = found.node.type
    return {name: kind for name, kind in zip(made.arg_names[1:], made.arg_types[1:], strict=True) if name is not None}


def _named(signature: CallableType, fields: dict[str, Type]) -> CallableType | None:
    """The signature with ``**changes`` spelt out."""
    if not fields:
        return None
    kept = [n for n, kind in enumerate(signature.arg_kinds) if kind == ARG_POS]
    return signature.copy_modified(
        arg_types=[signature.arg_types[n] for n in kept] + list(fields.values()),
        arg_kinds=[signature.arg_kinds[n] for n in kept] + [ARG_NAMED_OPT] * len(fields),
        arg_names=[signature.arg_names[n] for n in kept] + list(fields),
    )


def plugin(version: str) -> type[Plugin]:
    """Called by mypy."""
    return Structs
