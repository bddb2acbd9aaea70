/**
 * Spans by the OpenTelemetry API alone: whoever wants them registers an SDK. Without one there is no tracer, and what
 * would be traced is just done.
 */
import { ProxyTracerProvider, type Tracer, trace } from '@opentelemetry/api';

const name = 'kannuki';

/** Undefined: nobody listens. */
export function tracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return provider.getTracer(name);
  return provider.getDelegateTracer(name);
}
