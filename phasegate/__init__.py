"""What people touch: the client, the command line and the settings."""
