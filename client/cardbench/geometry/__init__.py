"""Search for the geometry of a card that no register tells: erase block, page, open units, FAT area, write cache.

A sequential statistical test estimates each quantity within a budget of time and written bytes. The test ends as soon
as the value is sure enough; if it never is, the result is that the quantity is not known.
"""

from cardbench.geometry.entries import entries, reasoning
from cardbench.geometry.estimate import Estimate, Finding
from cardbench.geometry.probe import Probe
from cardbench.geometry.survey import QUANTITIES, Quantity, survey, table, usual, written_bytes
