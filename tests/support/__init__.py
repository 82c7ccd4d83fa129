"""What several test modules share: oracles, generators of histories, the corpus."""
