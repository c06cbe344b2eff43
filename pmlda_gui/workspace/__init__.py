"""What an operator has open: images, choices, the running chain, the journal. No Qt."""
