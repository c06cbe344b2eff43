"""The compiled inner loops: one pass over the words, one over the documents."""
