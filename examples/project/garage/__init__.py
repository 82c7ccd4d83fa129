"""Bills and occupancy for a small car park."""
