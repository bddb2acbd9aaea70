/**
 * When a commit waits for the disk. `standard`: everything but a free release, whose loss only costs the TTL.
 * `strict`: everything. `relaxed`: nothing; only for those whose every write is fenced.
 */
export type LeaseDurability = 'relaxed' | 'standard' | 'strict';
