import { fileURLToPath } from 'node:url';

/** The folder of package.json, without a slash at its end. */
export const repositoryRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
