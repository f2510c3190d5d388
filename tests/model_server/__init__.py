"""A scripted model provider over real HTTP, for tests, demos and benchmarks. Begin reading at `script`."""
