import type { JobTarget } from './job-target.ts';

/** What stands where a value is not shown. */
const hidden = '[redacted]';

/** The target with the names of its headers or variables, but not their values: these are where secrets are put. */
export function hideTargetSecrets(target: JobTarget): JobTarget {
  if (target.kind === 'http') {
    const { headers, ...rest } = target;
    return { ...rest, url: withoutPassword(target.url), ...(headers && { headers: hideValues(headers) }) };
  }
  const { env, ...rest } = target;
  return { ...rest, ...(env && { env: hideValues(env) }) };
}

function hideValues(words: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(words).map((name) => [name, hidden]));
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password === '') return url;
  parsed.password = 'redacted';
  return parsed.href;
}
