"""Write the day of an English date before the month, and the month as a word, so that no reader confuses them."""

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j F Y, H:i"
SHORT_DATE_FORMAT = "Y-m-d"
