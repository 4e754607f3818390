package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// stopTracingWithin bounds how long the last spans may take to be sent. The service manager starts the
// next server when this one has ended, and clients wait for that on sockets that it holds: for a second
// at most, of which a collector that is down must leave some.
const stopTracingWithin = 500 * time.Millisecond

// tracer sends spans to --traces, some at a time, until stop is called; nil where there is none.
// What takes them may be down: statements do not wait for it, and spans are dropped. The
// exporter reads OTEL_EXPORTER_OTLP_HEADERS and the like too.
func (c *serveConfig) tracer(ctx context.Context, log *slog.Logger) (t trace.Tracer, stop func(), err error) {
	if c.traces == "" {
		return nil, func() {}, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not sent", "error", err) }))
	to, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(c.traces))
	if err != nil {
		return nil, nil, fmt.Errorf("--traces %q: %w", c.traces, err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(to),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(c.traceShare))),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "saltsql"), attribute.String("service.version", version()))),
	)
	return provider.Tracer("github.com/saltsql/saltsql"), func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTracingWithin)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces are not sent", "error", err)
		}
	}, nil
}
