/**
 * Settings of a private server, given on its command line so that a newer version of ours changes them for folders
 * that exist. It listens on the loopback address only; a socket file would be a second door, and its path has a limit
 * of 107 bytes. Small memory: it serves the processes of one machine.
 */
export function serverSettings(major: number): Readonly<Record<string, string>> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    max_connections: '100',
    shared_buffers: '32MB',
    work_mem: '4MB',
    maintenance_work_mem: '32MB',
    min_wal_size: '32MB',
    max_wal_size: '256MB',
    // No replica ever follows it, so less needs to be written and fewer processes run.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    // Reading ahead by extra processes does not pay at this size.
    ...(major >= 18 ? { io_method: 'sync' } : {}),
    cluster_name: 'kannuki',
    log_checkpoints: 'off',
    logging_collector: 'off',
    log_destination: 'stderr',
    log_line_prefix: '%m [%p] ',
    lc_messages: 'C',
  };
}
