"""Model providers: the only code that talks to them. Begin reading at `provider`."""
