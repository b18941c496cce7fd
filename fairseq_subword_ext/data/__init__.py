"""Datasets and sampling that the tasks use."""
