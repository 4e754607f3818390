package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

type Author struct {
	gorm.Model
	Name  string `gorm:"size:40;uniqueIndex;not null;comment:in full"`
	Born  *time.Time
	Score float64 `gorm:"default:1.5"`
	Books []Book
}

type Book struct {
	ID       uint64 `gorm:"primaryKey"`
	AuthorID uint   `gorm:"index:gorm_by_author,priority:1"`
	Title    string `gorm:"index:gorm_by_author,priority:2,sort:desc"`
	Price    int64  `gorm:"check:gorm_price,price >= 0"`
	Open     bool   `gorm:"default:true"`
	Cover    []byte
	Extra    map[string]any `gorm:"serializer:json;type:jsonb"`
	Tags     []Tag          `gorm:"many2many:book_tags"`
}

type Tag struct {
	Text string `gorm:"primaryKey"`
}

// bookMore is Book after a migration.
type bookMore struct {
	ID    uint64 `gorm:"primaryKey"`
	Title string `gorm:"size:200"`
	Pages int    `gorm:"default:7"`
}

func (bookMore) TableName() string { return "books" }

func main() {
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "gorm.io/gorm" {
				version = m.Version
			}
		}
	}
	check := func(name string, run func(tell func(string, any)) error) {
		saw := map[string]any{}
		err := run(func(what string, value any) { saw[what] = value })
		line := map[string]any{"client": "GORM", "version": version, "check": name, "ok": err == nil, "saw": saw}
		if err != nil {
			line["why"] = err.Error()
		}
		_ = json.NewEncoder(os.Stdout).Encode(line)
	}
	dsn := fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable", os.Getenv("PGHOST"), os.Getenv("PGPORT"), os.Getenv("PGUSER"), os.Getenv("PGDATABASE"))
	db, err := gorm.Open(postgres.Open(dsn), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	models := []any{&Author{}, &Tag{}, &Book{}}
	check("migrate", func(func(string, any)) error { return db.AutoMigrate(models...) })
	check("migrate again", func(func(string, any)) error { return db.AutoMigrate(models...) })
	check("catalogs", func(tell func(string, any)) error {
		m := db.Migrator()
		tell("there", []bool{m.HasTable("books"), m.HasTable("nope"), m.HasColumn(&Book{}, "extra"), m.HasIndex(&Book{}, "gorm_by_author"),
			m.HasConstraint(&Book{}, "gorm_price"), m.HasConstraint(&Author{}, "Books")})
		for _, model := range models {
			columns, err := m.ColumnTypes(model)
			if err != nil {
				return err
			}
			var list [][]any
			for _, c := range columns {
				length, _ := c.Length()
				nullable, _ := c.Nullable()
				unique, _ := c.Unique()
				primary, _ := c.PrimaryKey()
				auto, _ := c.AutoIncrement()
				def, _ := c.DefaultValue()
				comment, _ := c.Comment()
				list = append(list, []any{c.Name(), c.DatabaseTypeName(), length, nullable, unique, primary, auto, def, comment})
			}
			// GORM asks for them in no order.
			slices.SortFunc(list, func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) })
			tell(fmt.Sprintf("columns of %T", model), list)
			indexes, err := m.GetIndexes(model)
			if err != nil {
				return err
			}
			found := map[string][]string{}
			for _, x := range indexes {
				found[x.Name()] = x.Columns()
			}
			tell(fmt.Sprintf("indexes of %T", model), found)
		}
		return nil
	})
	check("insert", func(tell func(string, any)) error {
		born := time.Date(1815, 12, 10, 0, 0, 0, 0, time.UTC)
		hot := Tag{Text: "hot"}
		authors := []Author{{Name: "Ada", Born: &born, Books: []Book{{Title: "Notes", Price: 12, Tags: []Tag{hot}, Extra: map[string]any{"k": 1}}, {Title: "Letters"}}}}
		for i := range 20 {
			authors = append(authors, Author{Name: fmt.Sprint("a", i)})
		}
		err := db.CreateInBatches(authors, 6).Error
		tell("ids", []uint{authors[0].ID, authors[20].ID})
		return err
	})
	check("query", func(tell func(string, any)) error {
		var ada Author
		if err := db.Preload("Books.Tags").Where("name = ?", "Ada").First(&ada).Error; err != nil {
			return err
		}
		tell("preload", []any{ada.Score, ada.Born.Year(), len(ada.Books), ada.Books[0].Tags, ada.Books[0].Extra})
		var names []string
		err := db.Model(&Author{}).Where("name LIKE ?", "a1%").Order("name").Limit(3).Offset(1).Pluck("name", &names).Error
		tell("pluck", names)
		var sums []struct {
			Name string
			N    int64
		}
		err = errors.Join(err, db.Model(&Author{}).Select("authors.name, sum(price) AS n").Joins("JOIN books ON books.author_id = authors.id").Group("authors.name").Having("sum(price) > ?", 1).Scan(&sums).Error)
		tell("group", sums)
		var count int64
		err = errors.Join(err, db.Model(&Author{}).Where("id IN (?)", db.Model(&Book{}).Select("author_id")).Count(&count).Error)
		tell("in", count)
		var seen int
		var batch []Author
		err = errors.Join(err, db.FindInBatches(&batch, 8, func(tx *gorm.DB, _ int) error { seen += len(batch); return nil }).Error)
		tell("batches", seen)
		var books []Book
		err = errors.Join(err, db.Where("extra ->> 'k' = ?", "1").Find(&books).Error)
		tell("json", len(books))
		return err
	})
	check("change", func(tell func(string, any)) error {
		r := db.Model(&Book{}).Where("price < ?", 5).Updates(map[string]any{"price": gorm.Expr("price + ?", 3), "open": false})
		tell("updated", r.RowsAffected)
		r2 := db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "text"}}, DoNothing: true}).Create(&[]Tag{{"hot"}, {"cold"}})
		tell("ignored", r2.RowsAffected)
		r3 := db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name"}}, DoUpdates: clause.AssignmentColumns([]string{"score"})}).Create(&Author{Name: "a1", Score: 9})
		var a1 Author
		r4 := db.Where(Author{Name: "a1"}).FirstOrCreate(&a1)
		tell("score", a1.Score)
		r5 := db.Delete(&a1)
		var live, all int64
		db.Model(&Author{}).Count(&live)
		db.Unscoped().Model(&Author{}).Count(&all)
		tell("soft", []int64{live, all})
		var gone []Author
		r6 := db.Unscoped().Clauses(clause.Returning{Columns: []clause.Column{{Name: "name"}}}).Where("name = ?", "a2").Delete(&gone)
		tell("gone", len(gone))
		return errors.Join(r.Error, r2.Error, r3.Error, r4.Error, r5.Error, r6.Error)
	})
	check("transaction", func(tell func(string, any)) error {
		err := db.Transaction(func(tx *gorm.DB) error {
			if err := tx.Create(&Author{Name: "kept"}).Error; err != nil {
				return err
			}
			_ = tx.Transaction(func(sub *gorm.DB) error {
				sub.Create(&Author{Name: "lost"})
				return errors.New("no")
			})
			var ada Author
			return tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("name = ?", "Ada").First(&ada).Error
		})
		var names []string
		db.Model(&Author{}).Where("name IN ?", []string{"kept", "lost"}).Pluck("name", &names)
		tell("there", names)
		return err
	})
	check("errors", func(tell func(string, any)) error {
		var pg *pgconn.PgError
		if errors.As(db.Create(&Author{Name: "Ada"}).Error, &pg) {
			tell("duplicate", []string{pg.Code, pg.ConstraintName})
		}
		if errors.As(db.Create(&Book{AuthorID: 1, Price: -1}).Error, &pg) {
			tell("check", []string{pg.Code, pg.ConstraintName})
		}
		return nil
	})
	check("migrate on", func(tell func(string, any)) error {
		if err := db.AutoMigrate(&bookMore{}); err != nil {
			return err
		}
		var pages []int
		err := db.Model(&bookMore{}).Pluck("pages", &pages).Error
		tell("pages", pages)
		m := db.Migrator()
		return errors.Join(err, m.RenameColumn(&bookMore{}, "pages", "sheets"), m.DropColumn(&bookMore{}, "sheets"), m.DropIndex(&Book{}, "gorm_by_author"))
	})
	check("drop", func(tell func(string, any)) error {
		err := db.Migrator().DropTable("book_tags", &Book{}, &Tag{}, &Author{})
		tell("left", db.Migrator().HasTable(&Author{}))
		return err
	})
}
