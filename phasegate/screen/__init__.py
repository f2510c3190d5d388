"""What people see in a terminal."""
