import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Absent, Contestant } from "./contestant.ts";
import { freePort, startProgram, untilAnswering } from "./programs.ts";

/** Debian keeps it outside an ordinary user's PATH. */
const CANDIDATES = ["nginx", "/usr/sbin/nginx"];

/** nginx as a reverse proxy: what a program in C that never looks at what it forwards costs. */
export async function startNginx(options: {
  readonly folder: string;
  readonly upstreamPort: number;
  readonly core: number | undefined;
}): Promise<Contestant | Absent> {
  const binary = CANDIDATES.find((each) => spawnSync(each, ["-v"]).status === 0);
  if (binary === undefined) return { absent: "nginx is not installed (apt-get install nginx)" };
  await mkdir(options.folder, { recursive: true });
  const port = await freePort();
  const file = join(options.folder, "nginx.conf");
  await writeFile(file, configuration(options.folder, options.upstreamPort, port));
  const program = startProgram([binary, "-e", "stderr", "-p", options.folder, "-c", file], {
    core: options.core,
  });
  await untilAnswering(program, port);
  return {
    name: "nginx",
    port,
    pid: program.pid,
    headers: {},
    parts: ["plain", "stream"],
    stop: async () => {
      await program.stop();
      return [];
    },
  };
}

/** One worker, connections kept on both sides, events passed on as they come. */
function configuration(folder: string, upstreamPort: number, port: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join("\n")}
  keepalive_requests 100000000;
  upstream bench {
    server 127.0.0.1:${upstreamPort};
    keepalive 128;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port};
    tcp_nodelay on;
    location / {
      proxy_pass http://bench;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}
