"""Where printers of the tests are: here, in a network of nobody's, wherever a test has a folder."""

from printers.allowed import Allowed

PRINTING = Allowed.of(["127.0.0.0/8", "::1/128", "10.0.0.0/8"], ["/", "cups:booth", "cups:nowhere"])
