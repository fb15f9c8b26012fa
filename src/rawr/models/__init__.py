"""Typed questions to models, on DSPy. Importing this package imports neither DSPy nor a model's client."""
