"""The client that is awaited. `make_sync.py` makes `lastro._sync` of it."""
