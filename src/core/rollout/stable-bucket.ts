/**
 * A client's place in [0, 1), the same on every device, in every process and version: FNV-1a over the UTF-16 units,
 * then the finishing steps of MurmurHash3, because FNV alone leaves the high bits of short, similar ids alike.
 */
export function stableBucket(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}
