import { mkdtemp, readdir } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openEmbedded } from "../../src/storage/embedded/open-embedded.ts";
import { migrate } from "../../src/storage/migrator.ts";
import { removeDataDir } from "./embedded.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's URL of the run's server, and the migrated database to clone. */
    testDatabase: { adminUrl: string; template: string };
  }
}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * One PostgreSQL for the whole run: an embedded one in a temporary folder, or the server that
 * TEST_DATABASE_URL names (its user must be a superuser). It holds a migrated template, which
 * every test file clones.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await openServer();
  // Several runs may share a server.
  const template = `faregate_template_${process.pid}`;
  await run(server.adminUrl, `drop database if exists ${template}`);
  await run(server.adminUrl, `create database ${template}`);
  await migrate(databaseUrl(server.adminUrl, template), quiet);
  project.provide("testDatabase", { adminUrl: server.adminUrl, template });
  return async () => {
    if (server.shared) await run(server.adminUrl, `drop database if exists ${template} with (force)`);
    await server.close();
  };
}

/** The same server, another database. */
export function databaseUrl(adminUrl: string, database: string): string {
  return adminUrl.replace(/\/[^/?]*(\?|$)/, `/${database}$1`);
}

async function openServer(): Promise<{ adminUrl: string; shared: boolean; close(): Promise<void> }> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) return { adminUrl: given, shared: true, close: async () => undefined };
  await sweep();
  const dataDir = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  // These tests prove their guarantees after kill -9 without fsync too, and the machine's disk is spared.
  const settings = { fsync: "off", max_connections: "400" };
  const embedded = await openEmbedded({ dataDir, role: "guest", log: quiet, settings });
  return {
    adminUrl: embedded.url,
    shared: false,
    close: async () => {
      await embedded.close();
      await removeDataDir(dataDir);
    },
  };
}

// The host is in the name because a pid says nothing in another container on the same /tmp.
const FOLDER_PREFIX = `faregate-test-${hostname()}-`;

/** Ends and removes the servers of runs that were killed, which outlived them as they are made to do. */
async function sweep(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(FOLDER_PREFIX));
  for (const name of names) {
    const pid = Number.parseInt(name.slice(FOLDER_PREFIX.length), 10);
    if (pid > 0 && !isAlive(pid)) await removeDataDir(join(tmpdir(), name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
