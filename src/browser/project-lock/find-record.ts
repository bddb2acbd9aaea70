import type { OpenFiles, OpfsFile } from './ports.ts';

/** The file of the record, made if it is not there. */
export async function findRecord(files: OpenFiles): Promise<OpfsFile> {
  const project = await (await files()).getDirectoryHandle('project', { create: true });
  return project.getFileHandle('.lock', { create: true });
}

export async function readBytes(file: OpfsFile): Promise<Uint8Array> {
  return new Uint8Array(await (await file.getFile()).arrayBuffer());
}
