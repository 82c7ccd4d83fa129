"""Records scripted agent sessions: the words are written, the tool outputs are real."""
