/**
 * The server's settings, all given on its command line: they hold for a data folder of any age, and
 * nothing in postgresql.conf can weaken them.
 */
export function serverArguments(
  clusterFolder: string,
  socketFolder: string,
  instead: Readonly<Record<string, string>> = {},
): string[] {
  const settings: Record<string, string> = {
    // Reached through one socket in a folder only we may enter, and with a password: see password.ts.
    listen_addresses: "",
    unix_socket_directories: socketFolder,
    unix_socket_permissions: "0700",
    port: "5432",
    // A committed row survives kill -9 and power loss: money depends on these three.
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    // Several gateway processes with a pool of about 16 each, command-line tools, and room to look in.
    max_connections: "120",
    // Modest: it shares the machine with the gateway, and the operating system caches files as well.
    shared_buffers: "128MB",
    max_wal_size: "512MB",
    // Containers give /dev/shm 64 MB, which parallel plans outgrow; our statements are short anyway.
    max_parallel_workers_per_gather: "0",
    jit: "off",
    timezone: "UTC",
    // Only what concerns the server itself: no statements, no values of callers.
    log_destination: "stderr",
    logging_collector: "off",
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
    lc_messages: "C",
    ...instead,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", clusterFolder, ...flags];
}

/** The environment of every PostgreSQL program we run: none of the caller's PG* variables or secrets. */
export const SERVER_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  TZ: "UTC",
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
};

export const DATABASE_USER = "faregate";
export const DATABASE_NAME = "faregate";

/** The URL of a database of the server through its socket. */
export function socketUrl(socketFolder: string, database: string, password: string | undefined): string {
  const query = new URLSearchParams({ host: socketFolder, port: "5432", sslmode: "disable" });
  const user = password === undefined ? DATABASE_USER : `${DATABASE_USER}:${encodeURIComponent(password)}`;
  return `postgresql://${user}@/${database}?${query}`;
}
