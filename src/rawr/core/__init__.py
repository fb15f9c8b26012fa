"""The deciding part of rawr: pure functions over recorded facts. It imports the standard library and msgspec only."""
