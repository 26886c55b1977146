"""The sample debate that ships with the package: how it is made, and that it is sound."""
