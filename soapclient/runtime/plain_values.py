"""Convert values of generated types to dicts, and let pydantic validate and serialize them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, get_type_hints

import msgspec

from soapclient.runtime.nil import NIL

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core.core_schema import SerializationInfo, TypedDictField

StructT = TypeVar("StructT", bound=msgspec.Struct)

# The types whose schema is being generated: a type may refer to itself.
_generating: Final[ContextVar[tuple[type, ...]]] = ContextVar("generating", default=())


def plain(value: object) -> object:
    """Convert all structs in a value to dicts without default values. `NIL` becomes None."""
    if value is NIL:
        return None
    if isinstance(value, msgspec.Struct):
        names = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
        fields = ((key, getattr(value, name), name) for name, key in names)
        defaults = defaults_of(type(value))
        return {
            key: plain(part)
            for key, part, name in fields
            if part is NIL or name not in defaults or part != defaults[name]
        }
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def defaults_of(struct: type[msgspec.Struct]) -> dict[str, object]:
    """Return the default values of a struct's fields, by Python name. Required fields are left out."""
    names, values = struct.__struct_fields__, struct.__struct_defaults__
    return {
        name: factory() if (factory := factory_of(value)) else value
        for name, value in zip(names[len(names) - len(values) :], values, strict=True)
        if value is not msgspec.NODEFAULT
    }


def factory_of(default: object) -> Callable[[], object] | None:
    """Return the function that creates a field's default value; None if `default` is the value itself.

    `default` is an entry of `__struct_defaults__`, which msgspec sets for each struct.
    """
    # msgspec does not export its class Factory. An enumeration of a contract can have the same name.
    kind = type(default)
    if kind.__name__ != "Factory" or not kind.__module__.startswith("msgspec."):
        return None
    factory: Callable[[], object] = default.factory  # type: ignore[attr-defined] # not typed
    return factory


def pydantic_schema(struct: type[StructT], handler: object) -> object:
    """Return the schema with which pydantic validates and serializes a struct. pydantic must be installed.

    It accepts a struct, or a dict with the names of the contract or of Python. Fields for which pydantic has
    no schema, such as unknown elements, are not validated. `handler` is pydantic's GetCoreSchemaHandler; a
    CoreSchema is returned.
    """
    from pydantic_core import core_schema

    ref = f"{struct.__module__}.{struct.__qualname__}:{id(struct)}"
    if struct in _generating.get():
        return core_schema.definition_reference_schema(ref)
    token = _generating.set((*_generating.get(), struct))
    try:
        fields = _fields(struct, cast("GetCoreSchemaHandler", handler))
    finally:
        _generating.reset(token)

    def build(values: dict[str, Any]) -> StructT:
        return struct(**values)

    def serialize(value: object, info: SerializationInfo) -> object:
        return msgspec.to_builtins(plain(value)) if info.mode_is_json() else plain(value)

    config = core_schema.CoreConfig(val_json_bytes="base64")  # the values as they are serialized
    read = core_schema.typed_dict_schema(fields, config=config)
    built = core_schema.no_info_after_validator_function(build, read)
    return core_schema.json_or_python_schema(
        json_schema=built,
        python_schema=core_schema.union_schema([core_schema.is_instance_schema(struct), built]),
        serialization=core_schema.plain_serializer_function_ser_schema(serialize, info_arg=True),
        ref=ref,
    )


def file_schema(kinds: Iterable[type]) -> object:
    """Return the schema with which pydantic accepts objects of these classes, such as open files.

    In JSON, Base64 text is accepted instead.
    """
    from pydantic_core import core_schema

    files = [core_schema.is_instance_schema(kind) for kind in kinds]
    return core_schema.json_or_python_schema(
        json_schema=core_schema.bytes_schema(), python_schema=core_schema.union_schema([*files])
    )


def _fields(struct: type[msgspec.Struct], handler: GetCoreSchemaHandler) -> dict[str, TypedDictField]:
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
    from pydantic_core import core_schema

    hints, defaults = get_type_hints(struct, include_extras=True), defaults_of(struct)
    fields: dict[str, TypedDictField] = {}
    aliases: list[list[str | int]]
    for name, key in zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True):
        try:
            schema = handler.generate_schema(hints[name])
        except (PydanticUndefinedAnnotation, PydanticUserError):
            schema = core_schema.any_schema()
        aliases = [[key], [name]]
        fields[name] = core_schema.typed_dict_field(
            schema,
            required=name not in defaults,
            validation_alias=aliases,
            serialization_alias=key,
        )
    return fields
