// npm start: builds if needed, then is `kannuki serve` in this very process, so that signals and the exit code are its own.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildOrExit } from './build-dist.mjs';
import { repositoryRoot } from './repository-root.mjs';

await buildOrExit();
const command = join(repositoryRoot, 'dist/cli/main.js');
process.argv = [process.execPath, command, 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(command).href);
