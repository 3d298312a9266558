import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { stopSignal } from "./stop-signal.ts";

describe("a stop", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("begins with the first %s", async (signal) => {
    const { stop, source } = listen();
    source.emit(signal);
    expect(await stop).toBe(signal);
  });

  it("begins where the primary has died", async () => {
    const { stop, source } = listen();
    source.emit("disconnect");
    expect(await stop).toBe("SIGTERM");
  });

  it("goes on in order however often and by whomever it is told again", async () => {
    const { exits, source, wait } = listen();
    source.emit("SIGINT");
    wait(900);
    for (const signal of ["SIGINT", "SIGTERM", "disconnect"]) source.emit(signal);
    wait(60_000);
    for (const signal of ["SIGTERM", "SIGTERM", "disconnect"]) source.emit(signal);
    expect(exits).toEqual([]);
  });

  it.each(["SIGTERM", "SIGINT"])("is given up for an end at once by a Ctrl-C that follows %s", (first) => {
    const { exits, source, wait } = listen();
    source.emit(first);
    wait(1_000);
    source.emit("SIGINT");
    expect(exits).toEqual([130]);
  });
});

function listen() {
  const source = new EventEmitter();
  const exits: number[] = [];
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const stop = stopSignal({ source, clock, exit: (code) => exits.push(code) });
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { stop, source, exits, wait };
}
