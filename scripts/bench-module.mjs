// Runs one module of a benchmark and leaves its answer in a file. Started by bench.mjs: module, answer file [, --quick].
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [modulePath, answerFile, quick] = process.argv.slice(2);
const { title, run } = await import(pathToFileURL(modulePath).href);
const { rows, ...more } = await run({ quick: quick === '--quick', log: (text) => console.log(`  ${text}`) });
if (!Array.isArray(rows) || rows.length === 0)
  throw new Error(`${modulePath} measured nothing: it must return { rows }.`);
writeFileSync(answerFile, JSON.stringify({ title, rows, ...more }));
