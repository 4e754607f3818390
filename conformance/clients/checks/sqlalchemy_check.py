"""SQLAlchemy: a schema is made from metadata, reflected in full, and queried by the ORM."""
import datetime
import decimal
import enum

import sqlalchemy as sa
from sqlalchemy import orm
from checks import Checks

check = Checks("SQLAlchemy", sa.__version__)
engine = sa.create_engine("postgresql+psycopg://")


class Base(orm.DeclarativeBase):
    pass


class Mood(enum.Enum):
    calm = "calm"
    glad = "glad"


class Author(Base):
    __tablename__ = "sa_author"
    __table_args__ = {"comment": "who writes"}
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sa.String(40), unique=True, comment="in full")
    born: orm.Mapped[datetime.date | None]
    mood: orm.Mapped[Mood] = orm.mapped_column(sa.Enum(Mood, name="sa_mood"), server_default="calm")
    books: orm.Mapped[list["Book"]] = orm.relationship(back_populates="author", order_by="Book.id")


class Book(Base):
    __tablename__ = "sa_book"
    __table_args__ = (
        sa.CheckConstraint("price >= 0", name="sa_book_price"),
        sa.Index("sa_book_title", "author_id", sa.text("title DESC")),
    )
    id: orm.Mapped[int] = orm.mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    author_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("sa_author.id"))
    title: orm.Mapped[str] = orm.mapped_column(sa.Text)
    price: orm.Mapped[decimal.Decimal] = orm.mapped_column(sa.Numeric(8, 2), server_default="0")
    tags: orm.Mapped[list[str]] = orm.mapped_column(sa.ARRAY(sa.Text), server_default="{}")
    extra: orm.Mapped[dict | None] = orm.mapped_column(sa.dialects.postgresql.JSONB)
    added: orm.Mapped[datetime.datetime] = orm.mapped_column(sa.DateTime(timezone=True), server_default=sa.func.now())
    author: orm.Mapped[Author] = orm.relationship(back_populates="books")


@check
def create():
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    Base.metadata.create_all(engine)  # looks for what is there


@check
def view():
    with engine.begin() as conn:
        conn.execute(sa.text("DROP VIEW IF EXISTS sa_cheap"))
        conn.execute(sa.text("CREATE VIEW sa_cheap AS SELECT id, title FROM sa_book WHERE price < 10"))


def plain(value):
    """What reflection tells, as text that is the same for equal schemas."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in sorted(value.items(), key=lambda i: str(i[0]))}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, int)) else str(value)


def reflected(name, ask):
    def run():
        insp = sa.inspect(engine)
        check.tell(name, plain(ask(insp)))
    run.__name__ = "reflect " + name
    check(run)


TABLES = ["sa_author", "sa_book", "sa_cheap"]
reflected("tables", lambda i: sorted(t for t in i.get_table_names() if t.startswith("sa_")))
reflected("views", lambda i: [v for v in i.get_view_names() if v.startswith("sa_")])
reflected("enums", lambda i: [e for e in i.get_enums() if e["name"].startswith("sa_")])
for table in TABLES:
    reflected("columns of " + table, lambda i, t=table: i.get_columns(t))
for table in TABLES[:2]:
    reflected("pk of " + table, lambda i, t=table: i.get_pk_constraint(t))
    reflected("uniques of " + table, lambda i, t=table: i.get_unique_constraints(t))
    reflected("comment of " + table, lambda i, t=table: i.get_table_comment(t))
reflected("foreign keys", lambda i: i.get_foreign_keys("sa_book"))
reflected("checks", lambda i: i.get_check_constraints("sa_book"))
reflected("indexes", lambda i: i.get_indexes("sa_book"))
reflected("view text", lambda i: bool(i.get_view_definition("sa_cheap")))
reflected("schemas", lambda i: [s for s in i.get_schema_names() if s in ("public", "information_schema")])
reflected("sequences", lambda i: [s for s in i.get_sequence_names() if s.startswith("sa_")])
reflected("has_table", lambda i: [i.has_table(t) for t in ("sa_author", "sa_nope")])
reflected("multi columns", lambda i: {k[1]: [c["name"] for c in v] for k, v in
                                      i.get_multi_columns(filter_names=TABLES[:2]).items()})


@check
def reflect_all():
    meta = sa.MetaData()
    meta.reflect(engine, views=True, only=lambda name, _: name.startswith("sa_"))
    check.tell("all", {t.name: [c.name for c in t.columns] for t in meta.tables.values()})
    joined = meta.tables["sa_author"].join(meta.tables["sa_book"])
    check.tell("join by the foreign key", str(joined.onclause))


@check
def insert():
    with orm.Session(engine) as s:
        s.add(Author(id=1, name="Ada", born=datetime.date(1815, 12, 10), mood=Mood.glad, books=[
            Book(title="Notes", price=decimal.Decimal("12.50"), tags=["a", "b"], extra={"k": [1, None]}),
            Book(title="Letters", price=3)]))
        s.add_all([Author(id=i, name=f"A{i}") for i in range(2, 30)])
        s.commit()


@check
def query():
    with orm.Session(engine) as s:
        ada = s.scalars(sa.select(Author).where(Author.name == "Ada").options(orm.selectinload(Author.books))).one()
        check.tell("selectin", [ada.mood.name, str(ada.born), [[b.title, str(b.price), b.tags, b.extra] for b in ada.books]])
        joined = s.scalars(sa.select(Author).options(orm.joinedload(Author.books)).order_by(Author.id).limit(3)).unique().all()
        check.tell("joined", [[a.name, [b.title for b in a.books]] for a in joined])
        rank = sa.func.rank().over(order_by=sa.desc(Book.price))
        check.tell("window", [list(r) for r in s.execute(sa.select(Book.title, rank).order_by(Book.title))])
        has = sa.select(Author.name).where(~Author.books.any()).order_by(Author.id).limit(2)
        check.tell("not exists", list(s.scalars(has)))
        counted = sa.select(Author.mood, sa.func.count()).group_by(Author.mood).having(sa.func.count() > 1)
        check.tell("having", [[m.name, n] for m, n in s.execute(counted)])
        check.tell("json", list(s.scalars(sa.select(Book.title).where(Book.extra["k"][0].as_integer() == 1))))
        check.tell("any of an array", list(s.scalars(sa.select(Book.title).where(Book.tags.any("a")))))


@check
def change():
    with orm.Session(engine) as s:
        letters = s.scalars(sa.select(Book).where(Book.title == "Letters")).one()
        letters.price += 1
        letters.tags = ["c"]
        s.flush()
        s.refresh(letters)
        check.tell("updated", [str(letters.price), letters.tags])
        with s.begin_nested() as sub:
            s.delete(letters)
            s.flush()
            sub.rollback()
        s.commit()
        n = s.execute(sa.update(Book).where(Book.price > 100).values(price=1)).rowcount
        gone = s.execute(sa.delete(Author).where(Author.id > 20).returning(Author.id)).all()
        s.commit()
        check.tell("counts", [n, sorted(r[0] for r in gone)])


@check
def upsert():
    from sqlalchemy.dialects.postgresql import insert as pg_insert
    with engine.begin() as conn:
        stmt = pg_insert(Author).values(id=1, name="Ada L.")
        conn.execute(stmt.on_conflict_do_update(index_elements=[Author.id], set_={"name": stmt.excluded.name}))
        check.tell("name", conn.scalar(sa.select(Author.name).where(Author.id == 1)))


@check
def duplicate():
    try:
        with orm.Session(engine) as s:
            s.add(Author(id=1, name="x"))
            s.commit()
    except sa.exc.IntegrityError as e:
        check.tell("code", e.orig.sqlstate)


@check
def drop():
    with engine.begin() as conn:
        conn.execute(sa.text("DROP VIEW sa_cheap"))
    Base.metadata.drop_all(engine)
