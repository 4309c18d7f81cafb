"""Helpers of `test_haproxy` that other tests use too."""

from tests.deploy.conftest import PRODUCT

FILE = PRODUCT / "deploy/haproxy/haproxy.cfg"
