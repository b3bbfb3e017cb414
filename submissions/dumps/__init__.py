"""Write and keep dumps of all public data.

`dump_tables` lists the tables of a dump, `writer` writes the tables, `shelf` lists the dumps, and `store` keeps every
file that the site offers for download.
"""
