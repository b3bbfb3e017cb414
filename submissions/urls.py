"""Addresses of the pages."""

from django.urls import path

from submissions.views import cards, decode, finder, makers, runs, submission, submit

urlpatterns = [
    path("", finder.finder, name="finder"),
    path("models/<slug:slug>/", cards.model, name="model"),
    path("cards/<slug:key>/", cards.card, name="card"),
    path("runs/<slug:public_id>/", runs.run, name="run"),
    path("decode/", decode.decode, name="decode"),
    path("makers/", makers.makers, name="makers"),
    path("makers/<str:bus>/<str:number>/", makers.maker, name="maker"),
    path("submit/", submit.submit, name="submit"),
    path("submissions/<slug:public_id>/", submission.submission, name="submission"),
]
