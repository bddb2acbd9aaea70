/**
 * Compiles src into dist and the web application into dist/web, unless nothing has changed since the last time. Outputs whose source is gone are removed
 * afterwards, so that dist is never missing while something runs from it.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { build } from 'esbuild';
import { repositoryRoot } from './repository-root.mjs';
import { runChild } from './run-child.mjs';

const dist = join(repositoryRoot, 'dist');
const stamp = join(repositoryRoot, 'node_modules/.cache/kannuki-build');
const command = join(dist, 'cli/main.js');
/** What the fault runner saw, for the page of guarantees. */
const faultResults = join(repositoryRoot, 'bench/results/faults.jsonl');

/** @returns {Promise<{ built: boolean, code: number, output: string }>} */
export async function buildDist() {
  const sources = listFiles(join(repositoryRoot, 'src')).filter((path) => path.endsWith('.ts'));
  const fingerprint = fingerprintOf([...sources, ...listFiles(join(repositoryRoot, 'web')), ...inputs()]);
  const made = ['index.js', 'web/index.html'].every((file) => existsSync(join(dist, file)));
  if (made && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) {
    return { built: false, code: 0, output: '' };
  }
  let output = '';
  // Two programs into one folder: what runs in Node knows no DOM, and what runs in a browser knows no Node.
  for (const project of ['tsconfig.json', 'src/browser/tsconfig.json']) {
    const compiled = await runChild('tsc', [tool('typescript/bin/tsc'), '-p', project], { capture: true });
    output += compiled.output;
    if (compiled.code !== 0) return { built: true, code: compiled.code, output };
  }
  const web = await runChild('vite', [tool('vite/bin/vite.js'), 'build', 'web', '--logLevel', 'error'], {
    capture: true,
  });
  output += web.output;
  if (web.code !== 0) return { built: true, code: web.code, output };
  await bundleWorker();
  removeOrphans(sources);
  if (existsSync(faultResults)) copyFileSync(faultResults, join(dist, 'fault-results.jsonl'));
  if (existsSync(command)) chmodSync(command, 0o755);
  mkdirSync(join(stamp, '..'), { recursive: true });
  writeFileSync(stamp, fingerprint);
  return { built: true, code: 0, output };
}

/** For the scripts that need a fresh dist: builds, or says why it cannot and ends the process. */
export async function buildOrExit() {
  const { built, code, output } = await buildDist();
  if (code !== 0) {
    process.stderr.write(`${output}\nThe build failed; nothing was started.\n`);
    process.exit(1);
  }
  return built;
}

/** Names of properties that never leave the worker: they are in no message and in no file, and no browser knows them. */
const inWorkerOnly = /^(monotonicMs|wallMs|after|cancel)$/;

/** One file, so that a worker starts after one request. A bundler of the user's takes it as it is. */
async function bundleWorker() {
  const worker = join(dist, 'browser/project-lock/lock-worker.js');
  if (!existsSync(worker)) return;
  await build({
    entryPoints: [worker],
    outfile: worker,
    allowOverwrite: true,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    mangleProps: inWorkerOnly,
  });
}

function inputs() {
  const names = [
    'tsconfig.json',
    'src/browser/tsconfig.json',
    'package.json',
    'scripts/build-dist.mjs',
    'node_modules/typescript/package.json',
    'bench/results/faults.jsonl',
  ];
  return names.map((name) => join(repositoryRoot, name)).filter((path) => existsSync(path));
}

/** Names, sizes and times: enough to see an edit, an addition, a removal and a new compiler. */
function fingerprintOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function removeOrphans(sources) {
  const stems = new Set(sources.map((path) => path.slice(join(repositoryRoot, 'src').length, -'.ts'.length)));
  for (const path of listFiles(dist)) {
    if (path.startsWith(join(dist, 'web', sep))) continue;
    if (!stems.has(path.slice(dist.length).replace(/\.d\.ts$|\.js$/, ''))) rmSync(path);
  }
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function tool(path) {
  return join(repositoryRoot, 'node_modules', path);
}
