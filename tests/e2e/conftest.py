import pytest

from tests.e2e.rig import Transport


@pytest.fixture(params=["stdio", "socket"])
def transport(request: pytest.FixtureRequest) -> Transport:
    """Each test runs over both ways to an app-server."""
    value: Transport = request.param
    return value
