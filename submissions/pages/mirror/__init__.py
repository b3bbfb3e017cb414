"""Write a mirror, the whole public site as files: its pages (`site`), and an `index` that a browser searches."""
