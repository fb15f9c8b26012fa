from tests.cli.in_process import rawr

__all__ = ["rawr"]
