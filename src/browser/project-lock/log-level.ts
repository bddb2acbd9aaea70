import type { ProjectLockErrorCode } from './project-lock-error.ts';

/** How loudly to log an error; what ends in read-only is louder. */
export function logLevel(code: ProjectLockErrorCode, endsInReadonly = false): 'info' | 'warn' | 'error' {
  if (code === 'web-lock-aborted') return 'info';
  if (code === 'fallback-open-failed' || code === 'fallback-write-failed' || code === 'lease-mismatch') return 'error';
  const alwaysWarn = code === 'web-lock-unsupported' || code === 'fallback-read-failed' || code === 'lease-expired';
  return endsInReadonly && !alwaysWarn ? 'error' : 'warn';
}
