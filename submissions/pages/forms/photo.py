"""A photo that is handed in."""

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

ACCEPTED = "image/jpeg,image/png,image/webp"


class PhotoForm(forms.Form):
    photo = forms.FileField(
        label=_("Photo of the card: JPEG, PNG or WebP"),
        widget=forms.ClearableFileInput({"accept": ACCEPTED}),
        error_messages={"required": _("Choose a photo."), "empty": _("The file is empty.")},
    )

    def body(self) -> bytes:
        """The file as it was sent."""
        file: UploadedFile = self.cleaned_data["photo"]
        return file.read()
