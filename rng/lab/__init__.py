"""For the test laboratory and the regulator: nothing here can change a number."""
