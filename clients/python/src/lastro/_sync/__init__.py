# Made by make_sync.py of the file of the same name in `_async`. Do not edit.
"""The client that waits."""
