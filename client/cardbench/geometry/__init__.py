"""What lies under the surface of a card: erase block, page, open allocation units, FAT area and write cache.

Each is found by a sequential test that stops as soon as it is sure, within a budget; otherwise it abstains.
"""

from cardbench.geometry.entries import entries, reasoning
from cardbench.geometry.estimate import Estimate, Finding
from cardbench.geometry.probe import Probe
from cardbench.geometry.survey import QUANTITIES, Quantity, survey, table, usual, written_bytes
