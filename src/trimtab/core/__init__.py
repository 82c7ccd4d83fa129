"""Pure integers: which units of a history stay. No message, no I/O, no clock, no randomness."""
