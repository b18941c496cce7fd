"""Recipes: from raw text to a table of scores, by plain commands.

recipe.py                         lists the recipes: corpora, tables, rows, what is needed, and their state
recipe.py NAME --list             lists a recipe's rows
recipe.py NAME ROW...             makes these rows, and prints the table
recipe.py NAME ROW... --dry-run   prints the commands
recipe.py NAME --help             lists all options
"""
