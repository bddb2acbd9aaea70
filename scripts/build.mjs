// npm run build: compiles src into dist if anything changed.
import { buildOrExit } from './build-dist.mjs';

const built = await buildOrExit();
console.log(built ? 'dist is built.' : 'dist is up to date.');
