"""What every submission has in common: closed, and null means not given."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Submitted(BaseModel):
    """Arguments of a tool that hands something over, or a part of them."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True, coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _given(cls, sent: Any) -> Any:
        return {k: v for k, v in sent.items() if v is not None} if isinstance(sent, dict) else sent
