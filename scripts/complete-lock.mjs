/**
 * node scripts/complete-lock.mjs: run it after every `npm install` that changed package-lock.json.
 *
 * Packages with native parts name one optional package per platform. Where a registry does not carry those of other
 * platforms, `npm install` leaves them out of the lockfile without a word, and `npm ci` then calls the lockfile out of
 * step. This adds what is missing: the exact version its parent asks for, and the platform it is for, so that npm
 * knows to pass it over elsewhere.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.mjs';

const systems = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

const files = ['package-lock.json', 'bench/package-lock.json'];
for (const file of files) {
  const added = completeLock(join(repositoryRoot, file));
  console.log(
    `${file}: ${added.length > 0 ? `added ${added.length}\n  ${added.join('\n  ')}` : 'nothing was missing.'}`,
  );
}

function completeLock(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const added = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (path === '' || isLocked(lock, path, name)) continue;
      if (!/^\d+\.\d+\.\d+/.test(version))
        throw new Error(`${path} asks for ${name} ${version}: not an exact version.`);
      lock.packages[placeFor(path, name)] = {
        version,
        ...platformOf(name),
        ...(entry.dev && { dev: true }),
        optional: true,
        ...(entry.engines && { engines: entry.engines }),
      };
      added.push(`${name}@${version}`);
    }
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries(sorted);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  return added;
}

/** npm looks from the parent's own folder upwards. */
function isLocked(lock, path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (lock.packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}

/** Beside its parent, as npm would put it when the name is free there. */
function placeFor(path, name) {
  const nested = path.lastIndexOf('/node_modules/');
  return nested < 0 ? `node_modules/${name}` : `${path.slice(0, nested)}/node_modules/${name}`;
}

function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const os = systems.filter((system) => words.includes(system) || (system === 'win32' && words.includes('windows')));
  const cpu = processors.filter((processor) => words.includes(processor)).slice(0, 1);
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => /^gnu/.test(word))
      ? ['glibc']
      : [];
  if (os.length === 0 && cpu.length === 0) throw new Error(`The platform of ${name} is not in its name.`);
  return { ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }), ...(os.length > 0 && { os }) };
}
