package console

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var shots = flag.String("shots", "", "a folder for pictures of each page, to be looked at")

// watched is a tab, with what went wrong in it.
type watched struct {
	context.Context
	mu     sync.Mutex
	faults []string
}

func (w *watched) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// open starts a browser, which ends with the test, and notes errors and requests to elsewhere.
func open(t *testing.T, base string) *watched {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	// It logs what a newer browser tells of and it does not know.
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	w := &watched{Context: ctx}
	chromedp.ListenTarget(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			w.fault("%s", e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			w.fault("console.%s", e.Type)
		case *log.EventEntryAdded:
			w.fault("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, base+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
				w.fault("a request to %s", e.Request.URL)
			}
		}
	})
	w.run(t, network.Enable(), log.Enable(), runtime.Enable())
	return w
}

func (w *watched) run(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(w, actions...); err != nil {
		t.Fatal(err)
	}
}

// until waits until an expression holds. It is asked again and again: elements that pages put in each
// other's place are lost to a wait for one of them, and the pages' policy forbids eval to a wait in them.
func (w *watched) until(t *testing.T, expression string) {
	t.Helper()
	for ok := false; !ok; time.Sleep(5 * time.Millisecond) {
		if err := chromedp.Run(w, chromedp.Evaluate("!!("+expression+")", &ok)); err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
	}
}

// ready waits for an element.
func (w *watched) ready(t *testing.T, selector string) {
	t.Helper()
	w.until(t, fmt.Sprintf("document.querySelector(%q)", selector))
}

// see goes to a page and waits until it is drawn.
func (w *watched) see(t *testing.T, hash string) {
	t.Helper()
	name, _, _ := strings.Cut(hash, "/")
	name, _, _ = strings.Cut(name, "?")
	if name == "" {
		name = "overview"
	}
	w.run(t, chromedp.Evaluate(`document.getElementById('main').dataset.page = ''; if (location.hash === '#/`+hash+`') location.hash = '#/jobs'; location.hash = '#/`+hash+`'`, nil))
	w.ready(t, `#main[data-page=`+name+`] h1`)
}

// namesMissing gives the controls that have no name for who does not see them. The answer is read
// here: a browser says more in it than the protocol's package knows.
func namesMissing(ctx context.Context) ([]string, error) {
	type value struct {
		Value any `json:"value"`
	}
	var tree struct {
		Nodes []struct {
			Ignored bool  `json:"ignored"`
			Role    value `json:"role"`
			Name    value `json:"name"`
		} `json:"nodes"`
	}
	if err := chromedp.FromContext(ctx).Target.Execute(ctx, "Accessibility.getFullAXTree", nil, &tree); err != nil {
		return nil, err
	}
	var out []string
	for _, n := range tree.Nodes {
		role, _ := n.Role.Value.(string)
		name, _ := n.Name.Value.(string)
		switch role {
		case "button", "link", "textbox", "image", "img", "region", "navigation", "dialog", "combobox":
			if !n.Ignored && strings.TrimSpace(name) == "" {
				out = append(out, role)
			}
		}
	}
	if len(tree.Nodes) < 20 {
		return nil, fmt.Errorf("there are %d nodes only", len(tree.Nodes))
	}
	return out, nil
}

// TestPages looks at each page in both themes, narrow and wide: nothing fails, nothing is asked of
// elsewhere, each control has a name, and nothing is wider than the screen.
func TestPages(t *testing.T) {
	db := openDB(t)
	c, base := serve(t, db, Config{})
	w := open(t, base)
	w.run(t, chromedp.Navigate(base+"/?token="+c.token))
	w.ready(t, `#main[data-page=overview] h1`)
	var where, cookie string
	w.run(t, chromedp.Evaluate(`location.href`, &where), chromedp.Evaluate(`document.cookie`, &cookie))
	if strings.Contains(where, "token") || cookie != "" {
		t.Errorf("the token stays in the address %s, or scripts see the cookie %q", where, cookie)
	}
	a := ran(t, withToken(t, c, base), base, "SELECT 'metrics'::regclass::oid::text, (SELECT queryid::text FROM pg_stat_statements WHERE query LIKE 'SELECT host%')")
	oid, query := *a.Rows[0][0], *a.Rows[0][1]
	pages := []string{"", "tables", "tables/" + oid, "heat", "heat/" + oid + "/metrics_cpu", "queries", "queries/" + query, "sessions", "jobs", "sql"}
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{400, 1280} {
			w.run(t, emulation.SetDeviceMetricsOverride(width, 900, 1, false), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}))
			for _, p := range pages {
				w.see(t, p)
				if p == "sql" {
					w.run(t, chromedp.Evaluate(`{
						const area = document.querySelector('textarea');
						area.value = "SELECT host, ts, mem FROM metrics WHERE host = 'web-1' ORDER BY host, ts DESC";
						area.dispatchEvent(new Event('input'));
						document.querySelector('button[data-k=run]').click();
					}`, nil))
					w.ready(t, `button[data-k=run]:not([disabled])`)
				}
				at := fmt.Sprintf("%s %d #/%s", theme, width, p)
				var over float64
				var failed, text string
				var lanes int
				w.run(t, chromedp.Evaluate(`document.documentElement.scrollWidth - innerWidth`, &over),
					chromedp.Evaluate(`[...document.querySelectorAll('.failed')].map(e => e.textContent).join()`, &failed), chromedp.Evaluate(`document.getElementById('main').innerText`, &text), chromedp.Evaluate(`document.querySelectorAll('.lanes svg').length`, &lanes))
				if over > 0 || failed != "" {
					t.Errorf("%s: %v pixels too wide; %s", at, over, failed)
				}
				if p == "sql" && (!strings.Contains(text, "Salt Merge") || !strings.Contains(text, "396") || lanes != 1) || p == "queries" && !strings.Contains(text, "FROM metrics") || p == "tables/"+oid && !strings.Contains(text, "SALT_BUCKETS = 8") {
					t.Errorf("%s: %s", at, text)
				}
				var missing []string
				w.run(t, chromedp.ActionFunc(func(ctx context.Context) (err error) { missing, err = namesMissing(ctx); return err }))
				if len(missing) > 0 {
					t.Errorf("%s: without a name: %v", at, missing)
				}
				if *shots != "" {
					w.shoot(t, fmt.Sprintf("%s_%d_%s.png", theme, width, strings.NewReplacer("/", "_", oid, "one", query, "one").Replace(p)))
				}
			}
		}
	}
	if len(w.faults) > 0 {
		t.Errorf("%d faults: %s", len(w.faults), strings.Join(w.faults, "\n"))
	}
}

func (w *watched) shoot(t *testing.T, name string) {
	t.Helper()
	var picture []byte
	w.run(t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		picture, err = page.CaptureScreenshot().WithCaptureBeyondViewport(true).Do(ctx)
		return err
	}))
	if err := os.WriteFile(filepath.Join(*shots, name), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestKeyboard goes through the console without a mouse.
func TestKeyboard(t *testing.T) {
	c, base := serve(t, openDB(t), Config{})
	w := open(t, base)
	focused := func() (text string) {
		w.run(t, chromedp.Evaluate(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`, &text))
		return text
	}
	// tab presses Tab until what has the focus is called so.
	tab := func(to string) {
		t.Helper()
		for range 60 {
			if focused() == to {
				return
			}
			w.run(t, chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("Tab does not reach %q", to)
	}
	w.run(t, chromedp.Navigate(base+"/login"), chromedp.KeyEvent(c.token), chromedp.KeyEvent(kb.Enter))
	w.ready(t, `#main[data-page=overview] h1`)
	tab("Skip to the page")
	tab("Tables")
	w.run(t, chromedp.KeyEvent(kb.Enter))
	w.ready(t, `#main[data-page=tables] h1`)
	tab("SQL of All tables")
	w.run(t, chromedp.KeyEvent(kb.Enter))
	w.ready(t, `#sql[open]`)
	w.run(t, chromedp.KeyEvent(kb.Escape))
	w.until(t, "!document.querySelector('#sql[open]')")
	tab("size")
	w.run(t, chromedp.KeyEvent(kb.Enter))
	w.ready(t, `th[aria-sort=descending]`)
	if focused() != "size" {
		t.Errorf("sorting loses the focus to %q", focused())
	}
	tab("metrics")
	w.run(t, chromedp.KeyEvent(kb.Enter))
	w.ready(t, `pre[aria-label=Definition]`)
	w.run(t, chromedp.Evaluate(`document.activeElement.blur()`, nil))
	tab("Rows")
	w.run(t, chromedp.KeyEvent(kb.Enter))
	w.ready(t, `#main[data-page=sql] textarea`)
	if focused() != "Statement" {
		t.Errorf("the focus is on %q", focused())
	}
	var drawn bool
	if w.run(t, chromedp.Evaluate(`!!document.querySelector('#rows-title')`, &drawn)); drawn {
		t.Error("a statement of an address ran by itself")
	}
	w.run(t, chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	w.ready(t, `#rows-title`)
	w.ready(t, `.plan`)
	if len(w.faults) > 0 {
		t.Error(w.faults)
	}
}
