/**
 * Takes secrets out of a text that leaves the process: those whose value is known, and those that can be told by their
 * form. The last net below the rule that secrets are not put into texts at all.
 */
const forms: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)(\s+)[\w\-.~+/=]{8,}/gi, '$1$2[redacted]'],
  [/\b(knk_[0-9a-f]{12}_)[0-9a-f]{16,}/g, '$1[redacted]'],
  [/(:\/\/[^\s:/@"\\]{0,100}:)[^\s@"\\]{1,500}@/g, '$1[redacted]@'],
  [/\b(code=)[0-9a-f]{32,}/g, '$1[redacted]'],
  [/\b(kannuki_\w{1,20}=)[\w\-.]{8,}/g, '$1[redacted]'],
  [/\b((?:sk|rk)_(?:live|test)_|whsec_|xox[abp]-)[\w-]{8,}/g, '$1[redacted]'],
];

export type Redact = (text: string) => string;

/** `secrets` shorter than 8 characters are left: they would blank ordinary words. */
export function createRedact(secrets: readonly string[]): Redact {
  const known = [...new Set(secrets.filter((secret) => secret.length >= 8))]
    // In a line of JSON a secret is written with JSON's escapes.
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, '[redacted]');
    for (const [form, shown] of forms) clean = clean.replace(form, shown);
    return clean;
  };
}

/** What of the environment must not be shown, told by the names of the variables. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (/(TOKEN|SECRET|PASSWORD|PASSWD|_KEY|CREDENTIALS|WEBHOOK_URL)$/.test(name)) return [value];
    if (!/_URL$|_URI$|_DSN$|_STORE$/.test(name) || !URL.canParse(value)) return [];
    const { password } = new URL(value);
    return password === '' ? [] : [password, decoded(password)];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
