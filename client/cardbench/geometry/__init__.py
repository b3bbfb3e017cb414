"""The hidden geometry of a card: erase block, page, open allocation units, FAT area and write cache.

A sequential test finds each quantity within a budget. It stops as soon as it is sure; otherwise it abstains.
"""

from cardbench.geometry.entries import entries, reasoning
from cardbench.geometry.estimate import Estimate, Finding
from cardbench.geometry.probe import Probe
from cardbench.geometry.survey import QUANTITIES, Quantity, survey, table, usual, written_bytes
