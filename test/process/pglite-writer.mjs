// Writes rows into a PGlite directory and tells its parent what was acknowledged, until it is killed.
import { pgliteDatabase } from 'kannuki/pglite';

const [dir, round] = process.argv.slice(2);
const database = await pgliteDatabase({ dir });
await database.query({ text: 'create table if not exists written (round text, number integer)' });
if (round === 'hold') {
  process.send({ acknowledged: 0 });
  setInterval(() => {}, 1000);
} else {
  for (let number = 1; ; number++) {
    await database.query({ text: 'insert into written values ($1, $2)', values: [round, number] });
    process.send({ acknowledged: number });
  }
}
