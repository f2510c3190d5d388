"""Search attributes of the server. A job that sets one which is not registered is stuck until it is."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from temporalio.api.enums.v1 import IndexedValueType
    from temporalio.client import Client


class SearchAttributeError(Exception):
    """A search attribute exists with another type, or could not be registered."""


async def missing_search_attributes(client: "Client", attributes: Mapping[str, str]) -> list[str]:
    """The names that the namespace lacks, in the order given.

    `attributes` maps names to types as the Temporal CLI spells them (Keyword, Int, Bool, ...).
    Raises SearchAttributeError when a name is registered with another type: that cannot be changed.
    """
    from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest

    request = ListSearchAttributesRequest(namespace=client.namespace)
    registered = (await client.operator_service.list_search_attributes(request)).custom_attributes
    for name, kind in attributes.items():
        if name in registered and registered[name] != _indexed_type(kind):
            raise SearchAttributeError(
                f"Search attribute {name} of namespace {client.namespace} is not of type {kind}; "
                f"remove it with `temporal operator search-attribute remove --name {name}` and try again."
            )
    return [name for name in attributes if name not in registered]


async def ensure_search_attributes(client: "Client", attributes: Mapping[str, str], fix: bool) -> list[str]:
    """The names that were missing; with `fix` they are registered when this returns."""
    from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
    from temporalio.service import RPCError

    missing = await missing_search_attributes(client, attributes)
    if not (missing and fix):
        return missing
    wanted = {name: _indexed_type(attributes[name]) for name in missing}
    request = AddSearchAttributesRequest(namespace=client.namespace, search_attributes=wanted)
    try:
        await client.operator_service.add_search_attributes(request)
    except RPCError as refused:
        raise SearchAttributeError(
            f"The server refused to register {', '.join(missing)}: {refused.message}."
        ) from refused
    return missing


def _indexed_type(kind: str) -> "IndexedValueType.ValueType":
    """The protocol's number for a type as the CLI spells it (KeywordList is ..._KEYWORD_LIST)."""
    from temporalio.api.enums.v1 import IndexedValueType

    return IndexedValueType.Value("INDEXED_VALUE_TYPE_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).upper())
