"""Check the rules for the language of this project that a tool can check.

CONTRIBUTING.md, "Language", explains them.
"""
