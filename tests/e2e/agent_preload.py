"""Imported by the process from which workers are forked, so that they find litellm imported."""

from activities.models.provider import load_litellm

load_litellm()
