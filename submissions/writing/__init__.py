"""Write reports and results to the database: receive, file, record, hold, estimate and correct them."""
