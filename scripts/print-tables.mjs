/** Prints the tables of reservations into their page, so that what is read cannot differ from what is done. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.mjs';

const { printPriorityTable, printVideoTable } = await import(
  join(repositoryRoot, 'dist/systems/reservations/index.js')
);

const page = join(repositoryRoot, 'docs/reservations.md');
const tables = { 'priority-table': printPriorityTable(), 'video-table': printVideoTable() };
let text = readFileSync(page, 'utf8');
for (const [name, table] of Object.entries(tables)) {
  const between = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  text = text.replace(between, (_, open, close) => `${open}\n${table}\n${close}`);
}
writeFileSync(page, text);
