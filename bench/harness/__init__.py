"""The parts of the benchmark. `bench/run` puts them together."""
