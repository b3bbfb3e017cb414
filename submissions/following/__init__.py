"""Telling people what changed: by mail, by webhook, by Atom."""
