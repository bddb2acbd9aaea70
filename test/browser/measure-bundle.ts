import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * Bytes, minified and compressed, that a page loads at once for these names, as a bundler makes them. What is imported
 * lazily is not counted: it is loaded only where it is needed.
 */
export async function measureBundle(from: string, names: readonly string[]): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${names.join(', ')} } from './${from}';`, resolveDir: dist },
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    outdir: dist,
    absWorkingDir: dist,
  });
  const eager = eagerOutputs(metafile);
  return outputFiles
    .filter(({ path }) => eager.has(path.slice(dist.length)))
    .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

function eagerOutputs({ outputs }: Metafile): ReadonlySet<string> {
  const eager = new Set<string>();
  const visit = (path: string): void => {
    if (eager.has(path)) return;
    eager.add(path);
    for (const { kind, path: next } of outputs[path]?.imports ?? []) if (kind === 'import-statement') visit(next);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint === '<stdin>') visit(path);
  return eager;
}
