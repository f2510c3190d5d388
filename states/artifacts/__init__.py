"""What each phase hands over: typed, validated, immutable."""
