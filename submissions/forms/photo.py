"""A photo that is handed in."""

from django import forms
from django.core.files.uploadedfile import UploadedFile

ACCEPTED = "image/jpeg,image/png,image/webp"


class PhotoForm(forms.Form):
    photo = forms.FileField(
        label="Photo of the card: JPEG, PNG or WebP",
        widget=forms.ClearableFileInput({"accept": ACCEPTED}),
        error_messages={"required": "Choose a photo.", "empty": "The file is empty."},
    )

    def body(self) -> bytes:
        """The file as it was sent."""
        file: UploadedFile = self.cleaned_data["photo"]
        return file.read()
