import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection to loopback that takes longer than this is not being taken. */
const CONNECTED_WITHIN_MS = 1_000;

/** Far beyond any backlog of one. */
const MAX_CONNECTIONS = 64;

const PROGRAM = `require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () {
  console.log(this.address().port);
})`;

/**
 * A port of this machine on which connections neither succeed nor fail: its owner is stopped and its
 * backlog is full, so that the kernel drops what else knocks.
 */
export async function deafListener(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  child.kill("SIGSTOP");
  const waiting: Socket[] = [];
  const close = async (): Promise<void> => {
    for (const socket of waiting) socket.destroy();
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  while (waiting.length < MAX_CONNECTIONS) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    waiting.push(socket);
    if (!(await connectsSoon(socket))) return { port, close };
  }
  await close();
  throw new Error("the kernel takes every connection; a full backlog cannot be had here");
}

function connectsSoon(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), CONNECTED_WITHIN_MS);
    socket.once("connect", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
