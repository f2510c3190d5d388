"""What can be typed after `phasegate`: names, arguments and options. Nothing heavy is imported here."""
