"""What each command does, with a connection to the server and a screen."""
