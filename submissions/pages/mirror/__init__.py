"""The whole public site as files: its own pages (`site`), and what a browser searches without a server (`index`)."""
