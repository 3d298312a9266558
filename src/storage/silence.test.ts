import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isConnectionLoss } from "./failures.ts";
import { DatabaseSilentError, type SilenceWatch, watchSilence } from "./silence.ts";

/** A server that answers questions, or swallows them. */
let responses: boolean;
let asked: (() => void)[];
let silences: number;
let watch: SilenceWatch;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setImmediate", "clearImmediate"] });
  responses = true;
  asked = [];
  silences = 0;
  watch = watchSilence({
    timeoutMs: 600,
    ask: () => (responses ? Promise.resolve() : new Promise((resolve) => asked.push(resolve))),
    onSilent: () => {
      silences += 1;
    },
  });
});
afterEach(() => {
  watch.close();
  vi.useRealTimers();
});

describe("a statement that waits", () => {
  it("waits on while the server answers something else", async () => {
    const cut = vi.fn();
    const end = watch.begin(cut);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(cut).not.toHaveBeenCalled();
    end(true);
  });

  it("is cut within a second of a server that answers nothing, as of a lost connection", async () => {
    responses = false;
    const cut = vi.fn();
    watch.begin(cut);
    await vi.advanceTimersByTimeAsync(500);
    expect(cut).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(300);
    expect(cut).toHaveBeenCalledOnce();
    expect(isConnectionLoss(cut.mock.calls[0]?.[0])).toBe(true);
    expect(silences).toBe(1);
  });

  it("is not cut while others are answered", async () => {
    responses = false;
    const cut = vi.fn();
    watch.begin(cut);
    for (let turn = 0; turn < 100; turn += 1) {
      await vi.advanceTimersByTimeAsync(400);
      watch.begin(() => undefined)(true);
    }
    expect(cut).not.toHaveBeenCalled();
  });
});

describe("a silent server", () => {
  it("is asked nothing more until it has answered one question", async () => {
    responses = false;
    watch.begin(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(() => watch.begin(() => undefined)).toThrow(DatabaseSilentError);
    responses = true;
    for (const response of asked) response();
    await vi.advanceTimersByTimeAsync(100);
    watch.begin(() => undefined)(true);
    expect(silences).toBe(1);
  });
});
