"""The tables of version 0.1, in one step. A database of that version has them from the fifteen steps it replaces."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations, models
from django.db.models.functions import Upper

from submissions.models.submission import new_public_id

REPLACED = [
    "0001_initial",
    "0002_run_doubts",
    "0003_judgement",
    "0004_submission_finished",
    "0005_accounts",
    "0006_published_text",
    "0007_facets",
    "0008_amendments",
    "0009_geometry",
    "0010_judged_at",
    "0011_photo",
    "0012_moderation",
    "0013_place_of_scores",
    "0014_words_to_seek",
    "0016_model_summary",
]


class Migration(migrations.Migration):
    initial = True
    replaces = [("submissions", name) for name in REPLACED]
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        TrigramExtension(),
        migrations.CreateModel(
            name="CardModel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=200, unique=True)),
                ("name", models.CharField(max_length=600)),
                ("brand", models.CharField(blank=True, max_length=200)),
                ("line", models.CharField(blank=True, max_length=200)),
                ("model_number", models.CharField(blank=True, max_length=200)),
                ("capacity_gb", models.FloatField(help_text="as sold, decimal gigabytes", null=True)),
                (
                    "named_from",
                    models.CharField(
                        choices=[("label", "the label"), ("registers", "the registers")], max_length=9
                    ),
                ),
                (
                    "simulated",
                    models.BooleanField(
                        default=False, help_text="an invented card, outside every ranking of real ones"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("app_perf_class", models.PositiveSmallIntegerField(null=True)),
                (
                    "bus_modes",
                    ArrayField(
                        base_field=models.CharField(max_length=200),
                        default=list,
                        help_text="modes it was seen in, SDR104",
                        size=None,
                    ),
                ),
                ("currency", models.CharField(blank=True, max_length=3)),
                ("known_cards", models.PositiveIntegerField(default=0)),
                (
                    "makers",
                    ArrayField(
                        base_field=models.CharField(max_length=200),
                        default=list,
                        help_text="who made its silicon",
                        size=None,
                    ),
                ),
                ("manufactured_first", models.CharField(blank=True, help_text="YYYY-MM", max_length=7)),
                ("manufactured_last", models.CharField(blank=True, max_length=7)),
                (
                    "oems",
                    ArrayField(
                        base_field=models.CharField(max_length=16),
                        default=list,
                        help_text="OEM numbers, 0x544d",
                        size=None,
                    ),
                ),
                (
                    "price",
                    models.FloatField(
                        help_text="median of what was paid, in the currency most told", null=True
                    ),
                ),
                ("price_count", models.PositiveIntegerField(default=0)),
                (
                    "speed_class",
                    models.PositiveSmallIntegerField(
                        help_text="the best any of its cards declares", null=True
                    ),
                ),
                (
                    "suspicious_cards",
                    models.PositiveIntegerField(default=0, help_text="cards whose registers are suspicious"),
                ),
                ("uhs_speed_grade", models.PositiveSmallIntegerField(null=True)),
                (
                    "varies",
                    models.BooleanField(default=False, help_text="its cards differ by what is inside"),
                ),
                ("video_speed_class", models.PositiveSmallIntegerField(null=True)),
                (
                    "words",
                    models.TextField(
                        blank=True,
                        help_text="lower case: names, makers, product names, registers in hex; what a search finds",
                    ),
                ),
                (
                    "judged_at",
                    models.DateTimeField(
                        db_index=True,
                        help_text="when its scores were worked out, by the clock of the database",
                        null=True,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("simulated", False), ("slug__startswith", "simulated-"), _connector="OR"
                        ),
                        name="simulated_models_are_named_so",
                    )
                ],
                "indexes": [
                    GinIndex(fields=["words"], name="model_words", opclasses=["gin_trgm_ops"]),
                    models.Index(fields=["brand", "simulated"], name="model_brand_of_kind"),
                    models.Index(Upper("brand"), name="model_brand_in_any_case"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Variant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("bus", models.CharField(max_length=3, null=True)),
                ("mid", models.PositiveIntegerField(help_text="manufacturer number of the CID", null=True)),
                ("oid", models.PositiveIntegerField(help_text="OEM number of the CID", null=True)),
                ("pnm", models.CharField(help_text="product name of the CID", max_length=16, null=True)),
                ("prv", models.CharField(help_text="product revision of the CID", max_length=8, null=True)),
                ("capacity_bytes", models.BigIntegerField(null=True)),
                (
                    "card_model",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="variants", to="submissions.cardmodel"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("card_model", "bus", "mid", "oid", "pnm", "prv", "capacity_bytes"),
                        name="one_variant_per_silicon",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Card",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=24, unique=True)),
                (
                    "manufactured",
                    models.CharField(blank=True, help_text="YYYY-MM from the CID", max_length=7),
                ),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        help_text="nothing unusual, unusual, suspicious; empty when not judged",
                        max_length=16,
                    ),
                ),
                (
                    "suspicions",
                    models.JSONField(default=list, help_text="rules that fired, over all runs of this card"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "variant",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="cards", to="submissions.variant"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Host",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("board", models.CharField(blank=True, max_length=200)),
                ("machine", models.CharField(blank=True, max_length=200)),
                ("kernel", models.CharField(blank=True, max_length=200)),
                ("interface", models.CharField(max_length=16)),
                ("driver", models.CharField(blank=True, max_length=200)),
                ("reader", models.CharField(blank=True, max_length=200)),
                ("bus_mode", models.CharField(blank=True, max_length=200)),
                ("clock_hz", models.BigIntegerField(null=True)),
                ("width_bits", models.PositiveSmallIntegerField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "board",
                            "machine",
                            "kernel",
                            "interface",
                            "driver",
                            "reader",
                            "bus_mode",
                            "clock_hz",
                            "width_bits",
                        ),
                        name="identical_hosts_are_one",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(default=new_public_id, max_length=12, unique=True)),
                (
                    "uuid",
                    models.UUIDField(help_text="made by the client; never published", null=True, unique=True),
                ),
                ("content_hash", models.CharField(max_length=64, unique=True)),
                (
                    "body",
                    models.BinaryField(
                        help_text="the report, verbatim; of a pasted text, what it was understood to say"
                    ),
                ),
                ("pasted", models.BinaryField(help_text="the text as it was pasted, verbatim", null=True)),
                ("channel", models.CharField(help_text="how it came: api, page, bulk", max_length=16)),
                (
                    "submitter",
                    models.CharField(
                        help_text="keyed hash that tells submitters apart; says nothing else", max_length=64
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "received"),
                            ("processed", "processed"),
                            ("rejected", "rejected"),
                            ("held", "held back"),
                        ],
                        default="received",
                        max_length=9,
                    ),
                ),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(default=0, help_text="how often processing was begun"),
                ),
                ("reason_code", models.CharField(blank=True, max_length=64)),
                ("reason_detail", models.TextField(blank=True)),
                ("reason_field", models.CharField(blank=True, max_length=200)),
                (
                    "not_understood",
                    models.JSONField(default=list, help_text="measurements that stay in the raw report only"),
                ),
                ("received_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        help_text="whoever may correct and delete it; never shown",
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "published",
                    models.TextField(blank=True, help_text="what readers may see of the pasted text"),
                ),
                (
                    "amendments",
                    models.JSONField(
                        default=dict,
                        help_text="what its owner says instead: label, condition, note; the report stays as it is",
                    ),
                ),
                (
                    "ruling",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "none"),
                            ("confirmed", "confirmed"),
                            ("disputed", "disputed"),
                            ("excluded", "excluded"),
                        ],
                        default="",
                        max_length=9,
                    ),
                ),
                ("ruling_reason", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["-received_at", "-id"], name="submission_newest"),
                    models.Index(
                        condition=models.Q(("state", "received")),
                        fields=["received_at"],
                        name="submission_to_do",
                    ),
                    models.Index(fields=["finished_at", "id"], name="submission_finished"),
                    models.Index(fields=["submitter", "received_at"], name="submission_of_submitter"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "rejected"), _negated=True),
                            models.Q(("reason_code", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="rejected_submissions_have_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at", None), ("state", "received")),
                            models.Q(
                                models.Q(("state", "received"), _negated=True), ("finished_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="finished_submissions_have_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "held"), _negated=True),
                            models.Q(("reason_detail", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="held_submissions_have_a_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("suite", models.CharField(max_length=64)),
                ("tool", models.CharField(max_length=64)),
                ("tool_version", models.CharField(blank=True, max_length=200)),
                ("target", models.CharField(max_length=16)),
                ("filesystem", models.CharField(blank=True, max_length=200)),
                ("condition", models.CharField(max_length=16)),
                (
                    "label",
                    models.JSONField(
                        default=dict, help_text="what the box says, as far as this report tells"
                    ),
                ),
                (
                    "registers",
                    models.JSONField(default=dict, help_text="decoded fields without the serial number"),
                ),
                (
                    "csd",
                    models.CharField(
                        blank=True, help_text="CSD as hex without its checksum byte", max_length=30
                    ),
                ),
                (
                    "suspicions",
                    models.JSONField(
                        default=list, help_text="what this report alone says against its registers"
                    ),
                ),
                ("excluded", models.TextField(blank=True, help_text="why nothing of this run is ranked")),
                ("started_at", models.DateTimeField(null=True)),
                ("duration_ns", models.BigIntegerField(null=True)),
                (
                    "source_title",
                    models.CharField(blank=True, help_text="where it was published first", max_length=200),
                ),
                ("source_author", models.CharField(blank=True, max_length=200)),
                ("source_url", models.URLField(blank=True, max_length=500)),
                ("source_licence", models.CharField(blank=True, max_length=200)),
                ("note", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="runs", to="submissions.card"),
                ),
                (
                    "host",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="runs", to="submissions.host"),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=models.CASCADE, related_name="run", to="submissions.submission"
                    ),
                ),
                (
                    "doubts",
                    models.JSONField(
                        default=list, help_text="what made the figures less sure, as the client saw it"
                    ),
                ),
                (
                    "facts",
                    models.JSONField(
                        default=dict, help_text="what the report alone gives the rules of `holds` to judge"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField(help_text="order in the report")),
                ("workload", models.CharField(max_length=64)),
                ("metric", models.CharField(max_length=64)),
                ("parameters", models.JSONField(default=dict)),
                (
                    "figure",
                    models.CharField(blank=True, help_text="comparable figure it is, if any", max_length=64),
                ),
                (
                    "repeats",
                    ArrayField(
                        base_field=models.FloatField(), help_text="every repeat, in base units", size=None
                    ),
                ),
                (
                    "value",
                    models.FloatField(help_text="median of the repeats; null when all failed", null=True),
                ),
                (
                    "spread",
                    models.FloatField(help_text="(highest - lowest) / median of the repeats", null=True),
                ),
                ("operations", models.BigIntegerField(null=True)),
                ("verdict", models.CharField(max_length=16)),
                ("reason", models.TextField(blank=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="measurements", to="submissions.run"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "position"), name="one_measurement_per_position"),
                    models.CheckConstraint(
                        condition=models.Q(("value__isnull", False), ("verdict", "failed"), _connector="OR"),
                        name="a_missing_value_is_a_failure",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Geometry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("quantity", models.CharField(help_text="metric of the workload geometry", max_length=32)),
                (
                    "origin",
                    models.CharField(
                        choices=[("inferred", "read off the tables"), ("stated", "stated by the client")],
                        max_length=8,
                    ),
                ),
                ("value", models.FloatField(help_text="in the base unit of the metric", null=True)),
                (
                    "log_odds",
                    models.FloatField(
                        help_text="natural log of right against wrong; null when not told", null=True
                    ),
                ),
                ("code", models.CharField(blank=True, max_length=64)),
                ("reasoning", models.JSONField(default=list, help_text="sentences")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="geometry", to="submissions.run"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "quantity", "origin"), name="one_answer_per_origin"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Photo",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("jpeg", models.BinaryField()),
                ("width", models.PositiveSmallIntegerField()),
                ("height", models.PositiveSmallIntegerField()),
                ("kept_at", models.DateTimeField(auto_now=True)),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=models.CASCADE, related_name="photo", to="submissions.submission"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("height__gt", 0), ("width__gt", 0)), name="photos_have_a_size"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Fit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("took_ns", models.BigIntegerField()),
                ("model_count", models.PositiveIntegerField(help_text="models with a comparable figure")),
                ("card_count", models.PositiveIntegerField()),
                ("run_count", models.PositiveIntegerField()),
                ("last_run", models.BigIntegerField(help_text="id of the newest run it knows")),
                (
                    "parameters",
                    models.JSONField(
                        help_text="the numbers it was made with; judgement/parameters.py explains them"
                    ),
                ),
                (
                    "correlation",
                    models.FloatField(
                        help_text="of any two figures of one model around what is expected of it"
                    ),
                ),
                (
                    "varies_below",
                    models.FloatField(help_text="p-value from which two kinds of cards count as different"),
                ),
                ("suspected_below", models.FloatField(help_text="the same for hidden scatter")),
                (
                    "standing",
                    models.JSONField(
                        default=list,
                        help_text="flags that stood: [model id, kind, cards then]; they fall only after more cards",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FigureFit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("figure", models.CharField(max_length=64)),
                (
                    "spreads",
                    models.JSONField(
                        help_text="standard deviations in log: repeat, interaction, card, host, market"
                    ),
                ),
                ("general", models.FloatField(help_text="log value of a model of which nothing is known")),
                (
                    "traits",
                    models.JSONField(
                        help_text="per trait: name -> [effect, variance]; the name “” stands for unknown"
                    ),
                ),
                (
                    "hosts",
                    models.JSONField(
                        help_text="host id -> [effect, variance, log of what its link reaches or null]"
                    ),
                ),
                (
                    "priors",
                    models.JSONField(help_text="between and within silicons: [degrees of freedom, variance]"),
                ),
                (
                    "fit",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="figures", to="submissions.fit"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("fit", "figure"), name="one_fit_per_figure")],
            },
        ),
        migrations.CreateModel(
            name="Estimate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("figure", models.CharField(max_length=64)),
                ("mean", models.FloatField(help_text="log value, with what is expected of its kind")),
                ("sd", models.FloatField(help_text="one standard deviation of the mean")),
                ("own_mean", models.FloatField(help_text="what its cards alone say")),
                ("own_precision", models.FloatField(help_text="1 / variance of that")),
                ("cards", models.PositiveIntegerField()),
                ("submitters", models.PositiveIntegerField()),
                ("runs", models.PositiveIntegerField()),
                ("at_least", models.BooleanField(help_text="links hid most of it: the card may be faster")),
                (
                    "card_model",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="estimates", to="submissions.cardmodel"
                    ),
                ),
                (
                    "variant",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="estimates",
                        to="submissions.variant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("card_model", "variant", "figure"),
                        name="one_estimate_per_figure",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("own_precision__gt", 0), ("cards__gt", 0)),
                        name="an_estimate_rests_on_cards",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="VariationFlag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("varies", "cards differ by what is inside"),
                            ("suspected", "cards scatter more than usual"),
                            ("geometry_differs", "cards differ in their geometry"),
                            ("changed", "changed while it was sold"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "figure",
                    models.CharField(
                        help_text="comparable figure, or quantity of the geometry", max_length=64
                    ),
                ),
                (
                    "ratio",
                    models.FloatField(
                        help_text="faster over slower; of a suspicion 90th over 10th percentile", null=True
                    ),
                ),
                ("lower_ratio", models.FloatField(help_text="95 % interval of the ratio", null=True)),
                ("upper_ratio", models.FloatField(null=True)),
                ("p_value", models.FloatField(null=True)),
                ("cards", models.PositiveIntegerField(help_text="cards it rests on")),
                ("submitters", models.PositiveIntegerField(help_text="submitters who measured them")),
                (
                    "evidence",
                    models.JSONField(
                        help_text="groups as variant ids, counts, and what the words are made of"
                    ),
                ),
                ("since", models.DateTimeField(help_text="when it was raised first")),
                (
                    "card_model",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="variation_flags", to="submissions.cardmodel"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("card_model", "kind", "figure"), name="one_flag_per_figure"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("profile", models.CharField(max_length=64)),
                ("profile_version", models.PositiveSmallIntegerField()),
                (
                    "interface",
                    models.CharField(
                        help_text="class of slot the reader has, not what it was measured in", max_length=16
                    ),
                ),
                ("value", models.FloatField()),
                ("lower", models.FloatField()),
                ("upper", models.FloatField()),
                ("cards", models.PositiveIntegerField()),
                ("runs", models.PositiveIntegerField()),
                ("submitters", models.PositiveIntegerField()),
                (
                    "covered",
                    models.PositiveSmallIntegerField(help_text="figures of the profile that were measured"),
                ),
                ("terms", models.PositiveSmallIntegerField(help_text="figures the profile has")),
                (
                    "figures",
                    models.JSONField(
                        default=dict,
                        help_text="figure -> {value, lower, upper, measured, cards, at_least}, as domain/scores.py has it",
                    ),
                ),
                ("state", models.CharField(max_length=8)),
                (
                    "card_model",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="scores", to="submissions.cardmodel"
                    ),
                ),
                (
                    "bound",
                    models.FloatField(
                        help_text="what it is ranked by: the lower end, and cautious about what nobody measured"
                    ),
                ),
                (
                    "range_high",
                    models.FloatField(help_text="the score of its best variant that counts", null=True),
                ),
                (
                    "range_low",
                    models.FloatField(
                        help_text="of a model whose cards differ: the score of its worst variant that counts",
                        null=True,
                    ),
                ),
                (
                    "ranked_by",
                    models.ForeignKey(
                        help_text="that worst variant",
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="+",
                        to="submissions.variant",
                    ),
                ),
                (
                    "simulated",
                    models.BooleanField(
                        default=False,
                        help_text="of an invented card, as its model says: so that a ranking reads scores alone",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["profile", "interface", "simulated", "-bound", "card_model"],
                        name="score_place",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("card_model", "profile", "interface"), name="one_score_per_purpose"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("lower__lte", models.F("value")), ("value__lte", models.F("upper"))
                        ),
                        name="bounds_hold_the_value",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("bound__lte", models.F("lower"))), name="the_bound_is_cautious"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("range_high", None), ("range_low", None)),
                            ("range_low__lte", models.F("range_high")),
                            _connector="OR",
                        ),
                        name="a_range_has_two_ends",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelSummary",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "judged_at",
                    models.DateTimeField(help_text="that of the model when it was worked out", null=True),
                ),
                ("told", models.JSONField(help_text="a Summary, as domain/summary.py has it")),
                (
                    "newest_runs",
                    ArrayField(
                        base_field=models.BigIntegerField(), help_text="ids, the newest first", size=None
                    ),
                ),
                (
                    "left_out",
                    ArrayField(
                        base_field=models.BigIntegerField(),
                        help_text="ids of measurements that count for nothing",
                        size=None,
                    ),
                ),
                (
                    "card_model",
                    models.OneToOneField(
                        on_delete=models.CASCADE, related_name="summary", to="submissions.cardmodel"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Word",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=40, unique=True)),
            ],
            options={
                "indexes": [GinIndex(fields=["text"], name="word_like", opclasses=["gin_trgm_ops"])],
            },
        ),
        migrations.CreateModel(
            name="Correction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=200)),
                (
                    "silicon",
                    models.JSONField(
                        help_text="bus, mid, oid, pnm, prv, capacity; null is the whole model", null=True
                    ),
                ),
                ("to_slug", models.SlugField(max_length=200)),
                ("name", models.CharField(max_length=600)),
                ("brand", models.CharField(blank=True, max_length=200)),
                ("line", models.CharField(blank=True, max_length=200)),
                ("model_number", models.CharField(blank=True, max_length=200)),
                ("capacity_gb", models.FloatField(null=True)),
                ("named_from", models.CharField(max_length=9)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("slug", "silicon"), name="one_decision_per_silicon", nulls_distinct=False
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FormerSlug",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=200)),
                ("to_slug", models.SlugField(max_length=200)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("slug", "to_slug"), name="one_row_per_move")],
            },
        ),
        migrations.CreateModel(
            name="Remark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(blank=True, help_text="of the model it is about", max_length=200)),
                ("kind", models.CharField(choices=[("same", "same here"), ("wrong", "wrong")], max_length=5)),
                ("reason", models.CharField(blank=True, max_length=500)),
                (
                    "published",
                    models.BooleanField(
                        default=False, help_text="readers see the reason; it is counted in any case"
                    ),
                ),
                (
                    "visitor",
                    models.CharField(help_text="keyed hash that tells visitors apart", max_length=64),
                ),
                ("made_at", models.DateTimeField(auto_now=True)),
                (
                    "account",
                    models.ForeignKey(
                        null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="remarks",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("slug", ""), _negated=True),
                        fields=["slug"],
                        name="remark_on_model",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("submission", "slug", "visitor"),
                        name="one_remark_per_visitor",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("submission", None), ("slug", ""), _connector="XOR"),
                        name="a_remark_is_about_one_thing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind", "same"), models.Q(("reason", ""), _negated=True), _connector="OR"
                        ),
                        name="wrong_has_a_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("amended", "corrected"),
                            ("deleted", "deleted"),
                            ("adopted", "taken over by an account"),
                            ("held", "held back"),
                            ("released", "let into the rankings again"),
                            ("confirmed", "confirmed"),
                            ("disputed", "disputed"),
                            ("excluded", "left out of the rankings"),
                            ("merged", "merged"),
                            ("renamed", "renamed"),
                            ("split", "split"),
                            ("published", "made public what a visitor says"),
                            ("hidden", "hidden what a visitor says"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("key", "whoever holds its delete key"),
                            ("owner", "the account it belongs to"),
                            ("moderator", "a moderator"),
                            ("visitors", "visitors"),
                            ("rule", "a rule"),
                            ("system", "whoever runs the site"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "subject",
                    models.CharField(help_text="id of the submission, or slug of the model", max_length=200),
                ),
                ("reason", models.TextField(blank=True)),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        help_text="shown in the admin alone",
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        help_text="null once it is deleted: nothing that was said about it is kept then",
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="audit",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "indexes": [models.Index(fields=["-at"], name="audit_newest")],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(help_text="what its owner calls it", max_length=100)),
                ("digest", models.CharField(help_text="SHA-256 of the secret", max_length=64, unique=True)),
                (
                    "scopes",
                    ArrayField(
                        base_field=models.CharField(max_length=16), help_text="what it permits", size=None
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_used_on", models.DateField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="tokens", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
    ]
