"""Addresses of the pages."""

from django.urls import path

from submissions import views

urlpatterns = [
    path("", views.finder, name="finder"),
    path("models/<slug:slug>/", views.model, name="model"),
    path("cards/<slug:key>/", views.card, name="card"),
    path("decode/", views.decode, name="decode"),
    path("makers/", views.makers, name="makers"),
    path("makers/<str:bus>/<str:number>/", views.maker, name="maker"),
    path("submit/", views.submit, name="submit"),
    path("submissions/<slug:public_id>/", views.submission, name="submission"),
]
