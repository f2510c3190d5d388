"""What agents may ask about a repository: files, text and the index, confined to the workspace."""
