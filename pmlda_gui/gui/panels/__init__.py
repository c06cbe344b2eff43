"""What is handled: panels know neither the worker nor each other."""
