"""Reading and writing text: files that appear whole or not at all, and streams of lines in threads.

The ground floor of the package, which imports nothing of the floors above it. Text is UTF-8 whatever
the locale, and a line ends at ``\\n`` and nowhere else.
"""
