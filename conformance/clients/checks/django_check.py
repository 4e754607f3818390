"""Django: migrations are made and run, the schema is inspected, and models are queried."""
import datetime
import io
import os
import sys
import tempfile

import django
from django.conf import settings
from checks import Checks

check = Checks("Django", django.get_version())
work = tempfile.mkdtemp()
sys.path.insert(0, work)
os.makedirs(work + "/shop/migrations")
for name in ("shop/__init__.py", "shop/migrations/__init__.py"):
    open(f"{work}/{name}", "w").close()
MODELS = """
from django.db import models

class Customer(models.Model):
    name = models.CharField(max_length=40, unique=True)
    email = models.EmailField(db_index=True, blank=True)
    since = models.DateField(null=True)
    active = models.BooleanField(default=True)

class Product(models.Model):
    sku = models.SlugField(primary_key=True)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    data = models.JSONField(default=dict)
    weight = models.FloatField(null=True)
    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(price__gte=0), name="price_not_negative")]

class Order(models.Model):
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="orders")
    products = models.ManyToManyField(Product, through="Line")
    at = models.DateTimeField()
    token = models.UUIDField(null=True)
    class Meta:
        indexes = [models.Index(fields=["customer", "-at"], name="order_by_customer")]

class Line(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE)
    product = models.ForeignKey(Product, on_delete=models.PROTECT)
    amount = models.PositiveIntegerField(default=1)
    class Meta:
        constraints = [models.UniqueConstraint(fields=["order", "product"], name="line_once")]
"""
MORE = MODELS.replace("    active =", "    notes = models.TextField(default='none')\n    active =").replace(
    "max_length=40, unique", "max_length=80, unique").replace("weight = models.FloatField(null=True)", "mass = models.FloatField(null=True)")


def write(models):
    with open(work + "/shop/models.py", "w") as f:
        f.write(models)


write(MODELS)
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "shop"], USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"],
                           "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"]}})
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, models, transaction  # noqa: E402
from shop.models import Customer, Line, Order, Product  # noqa: E402

APPS = ["shop", "auth", "contenttypes"]


@check
def makemigrations():
    call_command("makemigrations", "shop", verbosity=0)
    check.tell("made", sorted(n for n in os.listdir(work + "/shop/migrations") if n[0] == "0"))


@check
def migrate():
    call_command("migrate", verbosity=0)


@check
def plan():
    out = io.StringIO()
    call_command("showmigrations", "shop", stdout=out, no_color=True)
    check.tell("applied", out.getvalue().split())


@check
def introspect():
    with connection.cursor() as cur:
        names = sorted(t.name for t in connection.introspection.get_table_list(cur) if t.name.startswith("shop_"))
        check.tell("tables", names)
        for t in names:
            check.tell("columns of " + t, [[str(f) for f in d] for d in connection.introspection.get_table_description(cur, t)])
            found = connection.introspection.get_constraints(cur, t)
            # the names that Django makes have a hash in them
            check.tell("constraints of " + t, sorted([c["columns"], c["primary_key"], c["unique"], c["foreign_key"], c["check"], c["index"],
                                                      c.get("orders"), c.get("type")].__repr__() for c in found.values()))
            check.tell("relations of " + t, {k: list(v) for k, v in connection.introspection.get_relations(cur, t).items()})
            check.tell("sequences of " + t, connection.introspection.get_sequences(cur, t))


@check
def inspectdb():
    out = io.StringIO()
    call_command("inspectdb", "shop_customer", "shop_order", stdout=out)
    check.tell("models", [line.strip() for line in out.getvalue().splitlines() if "=" in line])


@check
def insert():
    at = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)
    people = Customer.objects.bulk_create([Customer(name=f"c{i}", email=f"c{i}@x.org", since=datetime.date(2024, 1, i)) for i in range(1, 21)])
    goods = Product.objects.bulk_create([Product(sku=f"p{i}", price=i, data={"size": i, "tags": ["a", "b"][:i % 3]}) for i in range(1, 6)])
    for i, c in enumerate(people[:10]):
        order = Order.objects.create(customer=c, at=at + datetime.timedelta(hours=i))
        for p in goods[:i % 4]:
            Line.objects.create(order=order, product=p, amount=i)


@check
def query():
    check.tell("filter", list(Customer.objects.filter(name__startswith="c1", since__year=2024).order_by("id").values_list("name", flat=True)))
    check.tell("icontains", Customer.objects.filter(email__icontains="C2@").count())
    check.tell("annotate", list(Customer.objects.annotate(n=models.Count("orders__line")).filter(n__gt=1).order_by("name").values_list("name", "n")))
    total = models.Sum(models.F("amount") * models.F("product__price"))
    check.tell("sum", [[c, str(s)] for c, s in Line.objects.values_list("order__customer__name").annotate(s=total).order_by("-s", "order__customer__name")])
    check.tell("json", list(Product.objects.filter(data__size__gte=3).order_by("sku").values_list("sku", flat=True)))
    check.tell("json contains", list(Product.objects.filter(data__tags__contains=["b"]).values_list("sku", flat=True)))
    check.tell("prefetch", [[o.customer.name, sorted(p.sku for p in o.products.all())] for o in
                            Order.objects.select_related("customer").prefetch_related("products").order_by("at")[:5]])
    late = Order.objects.filter(customer=models.OuterRef("pk")).order_by("-at")
    check.tell("subquery", list(Customer.objects.annotate(late=models.Subquery(late.values("at")[:1])).filter(late__isnull=False)
                                .order_by("-late").values_list("name", flat=True)[:3]))
    check.tell("exists", Customer.objects.filter(~models.Exists(late)).count())
    check.tell("trunc", [[str(d), n] for d, n in Order.objects.annotate(d=models.functions.TruncDay("at")).values_list("d").annotate(n=models.Count("id"))])
    rank = models.Window(models.functions.Rank(), order_by=models.F("price").desc())
    check.tell("window", list(Product.objects.annotate(r=rank).order_by("r").values_list("sku", "r")))
    check.tell("union", sorted(Customer.objects.filter(id__lt=3).union(Customer.objects.filter(id=5)).values_list("name", flat=True)))
    check.tell("in_bulk", sorted(Product.objects.in_bulk(["p1", "p3", "p9"])))
    check.tell("iterator", sum(1 for _ in Customer.objects.iterator(chunk_size=7)))
    check.tell("dates", [str(d) for d in Order.objects.dates("at", "month")])


@check
def change():
    check.tell("update", Product.objects.filter(price__lt=3).update(price=models.F("price") + 1))
    check.tell("get_or_create", [Customer.objects.get_or_create(name="c1")[1], Customer.objects.get_or_create(name="new")[1]])
    check.tell("update_or_create", Product.objects.update_or_create(sku="p1", defaults={"price": 9})[1])
    Product.objects.bulk_create([Product(sku="p1", price=8), Product(sku="p8", price=8)], update_conflicts=True, unique_fields=["sku"], update_fields=["price"])
    check.tell("prices", [[p.sku, str(p.price)] for p in Product.objects.order_by("sku")])
    check.tell("delete", Customer.objects.get(name="c4").delete()[0])
    with transaction.atomic():
        c = Customer.objects.select_for_update().get(name="c2")
        c.active = False
        c.save()


@check
def duplicate():
    try:
        with transaction.atomic():
            Customer.objects.create(name="c1")
    except IntegrityError as e:
        check.tell("code", e.__cause__.sqlstate)


@check
def savepoint():
    with transaction.atomic():
        Customer.objects.create(name="kept")
        try:
            with transaction.atomic():
                Customer.objects.create(name="lost")
                raise ValueError
        except ValueError:
            pass
    check.tell("kept", sorted(Customer.objects.filter(name__in=["kept", "lost"]).values_list("name", flat=True)))


@check
def migrate_on():
    write(MORE)
    for name in list(sys.modules):
        if name.startswith("shop"):
            del sys.modules[name]
    import subprocess
    script = f"""
import sys; sys.path.insert(0, {work!r})
from django.conf import settings
settings.configure(INSTALLED_APPS={["django.contrib.contenttypes", "django.contrib.auth", "shop"]!r}, USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", DATABASES={settings.DATABASES!r})
import django; django.setup()
from django.core.management import call_command
from django.db.migrations.questioner import MigrationQuestioner
MigrationQuestioner.ask_rename = lambda *a: True
import django.core.management.commands.makemigrations as m
m.NonInteractiveMigrationQuestioner.ask_rename = lambda *a: True
call_command("makemigrations", "shop", verbosity=0, interactive=False)
call_command("migrate", verbosity=0)
from shop.models import Customer
print(Customer.objects.filter(notes="none").count())
call_command("migrate", "shop", "0001", verbosity=0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError([line for line in done.stderr.splitlines() if "Error" in line][-1])
    check.tell("rows", done.stdout.strip())


@check
def auth():
    from django.contrib.auth.models import Permission, User
    user = User.objects.create_user("ada", password="x")
    user.user_permissions.add(Permission.objects.get(codename="add_user"))
    check.tell("permissions", sorted(user.get_all_permissions()))


@check
def duration():
    class Spell(models.Model):
        took = models.DurationField()

        class Meta:
            app_label = "shop"
    with connection.schema_editor() as editor:
        editor.create_model(Spell)
    Spell.objects.create(took=datetime.timedelta(minutes=3))
    check.tell("sum", str(Spell.objects.aggregate(s=models.Sum("took"))["s"]))
    with connection.schema_editor() as editor:
        editor.delete_model(Spell)


@check
def undo():
    call_command("flush", verbosity=0, interactive=False)
    for app in APPS:
        call_command("migrate", app, "zero", verbosity=0)
