"""Define Publication: files that the site offers for download (a dump, an archive of the mirror, or the client)."""

from django.core.files.storage import default_storage
from django.db import models


class Publication(models.Model):
    """A set of files for download in the default storage, below kind/version/.

    The row is inserted after the last file is stored.
    """

    kind = models.CharField(max_length=16)
    version = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    files = models.JSONField()  # name -> size_bytes, sha256
    package = models.JSONField(default=dict)  # of a dump: its datapackage.json
    public_key = models.TextField(blank=True)  # as `minisign -P` takes it

    class Meta:
        ordering = ["-made_at"]
        constraints = [models.UniqueConstraint(name="one_publication", fields=["kind", "version"])]

    def __str__(self) -> str:
        return self.path("")

    def path(self, name: str) -> str:
        """Return the path of a file of this publication in the storage."""
        return f"{self.kind}/{self.version}/{name}"

    def url(self, name: str) -> str:
        """Return the URL for the download of a file: a path on this site, or an address in a bucket."""
        return str(default_storage.url(self.path(name)))
