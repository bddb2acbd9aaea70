import type { Random, SqlDatabase } from '../../core/ports.ts';
import { makeSecretStatement } from './sql/make-secret.ts';
import { readSecretStatement } from './sql/read-secret.ts';

/** The secret of that name, made by whoever asks first; every server of the database has the same. */
export async function ensureSecret(database: SqlDatabase, random: Random, name: string): Promise<string> {
  const schema = `"${database.schema}"`;
  await database.query({ text: makeSecretStatement(schema), values: [name, random.hex(32)] });
  const { rows } = await database.query<{ secret: string }>({ text: readSecretStatement(schema), values: [name] });
  const [row] = rows;
  if (!row) throw new Error(`The secret "${name}" was removed while the server started.`);
  return row.secret;
}
