import { statfsSync } from 'node:fs';

/**
 * Whether a folder lies on a disk that another machine may share, as far as Linux tells: by the kind of file system.
 * FUSE and 9p count, since they carry folders between a virtual machine and its host.
 */
export function isNetworkDisk(dir: string): boolean {
  try {
    return networkKinds.has(statfsSync(dir).type >>> 0);
  } catch {
    return false;
  }
}

/** The magic numbers of statfs(2). */
const networkKinds: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xfe534d42, // SMB 2
  0xff534d42, // CIFS
  0x01021997, // 9p
  0x65735546, // FUSE
  0x786f4256, // VirtualBox shared folders
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x01161970, // GFS2
  0x7461636f, // OCFS2
  0x5346414f, // AFS
  0x6b414653, // AFS of the kernel
  0x73757245, // Coda
]);
